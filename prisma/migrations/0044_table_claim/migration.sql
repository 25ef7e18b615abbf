-- Resources whose data is a table at the catalog that they came from. The table comes after the resource, or not at all.
CREATE TABLE table_claim (
  resource_id text PRIMARY KEY REFERENCES resource (id) ON DELETE CASCADE,
  -- Null: the resource came by an import, which reads no tables.
  source_id text REFERENCES harvest_source (id) ON DELETE CASCADE,
  -- Its id at the source.
  record_id text NOT NULL,
  -- wanted: to be copied by the next run. failed: tried, and tried again by the next run. here: copied.
  state text NOT NULL CHECK (state IN ('wanted', 'failed', 'here')),
  -- When the source changed the resource, as far as it says.
  version text,
  -- What the copy was made from, to tell whether the table at the source is another one.
  fingerprint text,
  -- Why it is not here.
  message text,
  written_at timestamptz(6) NOT NULL
);
CREATE INDEX table_claim_source ON table_claim (source_id, resource_id COLLATE "C");
