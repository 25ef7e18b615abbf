-- Filters and orders that readers of the DataStore use, by table: names of columns, never values. The empty shape counts writes.
CREATE TABLE table_shape (
  resource_id text NOT NULL REFERENCES resource (id) ON DELETE CASCADE,
  shape text NOT NULL,
  uses double precision NOT NULL,
  used_at timestamptz(6) NOT NULL,
  PRIMARY KEY (resource_id, shape)
);
