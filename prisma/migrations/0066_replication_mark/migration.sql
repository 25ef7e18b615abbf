-- The primary as it last was: its system identifier and timeline. A replica that shows the same value follows this primary.
CREATE TABLE replication_mark (
  id integer PRIMARY KEY CHECK (id = 1),
  mark text NOT NULL
);
