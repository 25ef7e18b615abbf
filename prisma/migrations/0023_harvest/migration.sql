-- Catalogs that are copied from.
CREATE TABLE harvest_source (
  id text PRIMARY KEY,
  name text NOT NULL UNIQUE,
  title text NOT NULL,
  url text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('ckan', 'dcat')),
  -- Owns all that comes from here; null: each dataset's own organization comes too.
  organization_id text REFERENCES group_account (id) ON DELETE CASCADE,
  -- As whom is written; null: only the operator at the command line may run it.
  user_id text REFERENCES user_account (id) ON DELETE SET NULL,
  -- Sealed; what the source is asked with.
  api_key text,
  -- Minutes between two runs; null: only when asked for.
  every integer CHECK (every > 0),
  active boolean NOT NULL DEFAULT true,
  settings jsonb NOT NULL DEFAULT '{}',
  -- All that the source changed before this moment (in its own words) has been dealt with; null: read all of it.
  read_until text,
  created_at timestamptz(6) NOT NULL
);
CREATE INDEX harvest_source_organization ON harvest_source (organization_id);
CREATE INDEX harvest_source_user ON harvest_source (user_id);

CREATE TABLE harvest_run (
  id text PRIMARY KEY,
  number integer GENERATED ALWAYS AS IDENTITY UNIQUE,
  source_id text NOT NULL REFERENCES harvest_source (id) ON DELETE CASCADE,
  -- stopped: the process ended before the run did.
  state text NOT NULL CHECK (state IN ('running', 'done', 'failed', 'stopped')),
  started_at timestamptz(6) NOT NULL,
  finished_at timestamptz(6),
  created integer NOT NULL DEFAULT 0,
  updated integer NOT NULL DEFAULT 0,
  unchanged integer NOT NULL DEFAULT 0,
  deleted integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  -- Why it failed.
  message text
);
CREATE INDEX harvest_run_source ON harvest_run (source_id, number);

-- What a run says of single records: faults, and names that were taken.
CREATE TABLE harvest_remark (
  run_id text NOT NULL REFERENCES harvest_run (id) ON DELETE CASCADE,
  number integer NOT NULL,
  is_fault boolean NOT NULL,
  kind text NOT NULL,
  record_id text NOT NULL,
  record_name text NOT NULL,
  message text NOT NULL,
  PRIMARY KEY (run_id, number)
);

-- What of a source is what here. Objects may be purged without their record: nothing refers to them.
CREATE TABLE harvest_record (
  source_id text NOT NULL REFERENCES harvest_source (id) ON DELETE CASCADE,
  kind text NOT NULL CHECK (kind IN ('dataset', 'organization', 'group', 'vocabulary')),
  record_id text NOT NULL,
  -- Its name at the source, or what the source lists it under.
  record_name text NOT NULL,
  -- Null: it could not be brought in yet.
  object_id text,
  -- Whether it was made from the source; otherwise it was here before and is left as it is.
  is_ours boolean NOT NULL,
  -- gone: no longer at the source, and deleted here. failed: to be tried again by the next run.
  state text NOT NULL CHECK (state IN ('here', 'gone', 'failed')),
  written_at timestamptz(6) NOT NULL,
  PRIMARY KEY (source_id, kind, record_id)
);
CREATE INDEX harvest_record_object ON harvest_record (object_id) WHERE kind = 'dataset';
