-- Usage (docs/decisions/0038): counts of views, downloads, API reads and searches by day. No row has an address or a caller.

-- Counts that a process collected in one second: parallel arrays. Writers only insert rows, so none waits for another.
CREATE TABLE usage_batch (
  id text PRIMARY KEY,
  day date NOT NULL,
  objects text[] NOT NULL,
  kinds smallint[] NOT NULL,
  counts integer[] NOT NULL
);

CREATE TABLE usage_day (
  dataset_id text NOT NULL REFERENCES dataset (id) ON DELETE CASCADE,
  resource_id text NOT NULL,
  kind smallint NOT NULL,
  day date NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (dataset_id, resource_id, kind, day)
);
CREATE INDEX usage_day_day ON usage_day (day);

CREATE TABLE usage_total (
  dataset_id text NOT NULL REFERENCES dataset (id) ON DELETE CASCADE,
  resource_id text NOT NULL,
  kind smallint NOT NULL,
  total bigint NOT NULL,
  recent bigint NOT NULL,
  before bigint NOT NULL,
  indexed boolean NOT NULL,
  PRIMARY KEY (dataset_id, resource_id, kind)
);
CREATE INDEX usage_total_recent ON usage_total (resource_id, kind, recent DESC, dataset_id);
CREATE INDEX usage_total_total ON usage_total (resource_id, kind, total DESC, dataset_id);

CREATE TABLE usage_scope (
  scope text COLLATE "C" NOT NULL,
  organization_id text NOT NULL,
  kind smallint NOT NULL,
  day date NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (scope, organization_id, kind, day)
);

CREATE TABLE usage_search (
  day date NOT NULL,
  words text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (day, words)
);

CREATE TABLE usage_cursor (
  id integer PRIMARY KEY CHECK (id = 1),
  day date NOT NULL
);
