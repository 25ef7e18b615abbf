-- Work that goes on after an answer and must not get lost. Written in the transaction of what it is about.
CREATE TABLE job (
  id text PRIMARY KEY,
  kind text NOT NULL,
  subject_type text NOT NULL,
  subject_id text NOT NULL,
  dataset_id text REFERENCES dataset (id) ON DELETE CASCADE,
  payload jsonb NOT NULL DEFAULT '{}',
  key text,
  every_seconds int CHECK (every_seconds > 0),
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'done', 'failed', 'cancelled')),
  attempts int NOT NULL DEFAULT 0,
  max_attempts int NOT NULL CHECK (max_attempts > 0),
  run_at timestamptz NOT NULL DEFAULT now(),
  lease_until timestamptz,
  cancel_requested boolean NOT NULL DEFAULT false,
  progress_done bigint,
  progress_total bigint,
  error text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  started_at timestamptz,
  finished_at timestamptz
);
CREATE UNIQUE INDEX job_queued_key ON job (key) WHERE state = 'queued';
CREATE UNIQUE INDEX job_running_key ON job (key) WHERE state = 'running';
CREATE INDEX job_due ON job (run_at) WHERE state = 'queued';
CREATE INDEX job_lease ON job (lease_until) WHERE state = 'running';
CREATE INDEX job_created ON job (created_at DESC, id DESC);
CREATE INDEX job_dataset ON job (dataset_id, created_at DESC, id DESC);
CREATE INDEX job_subject ON job (subject_id, kind, created_at DESC, id DESC);
CREATE INDEX job_finished ON job (finished_at) WHERE finished_at IS NOT NULL;
