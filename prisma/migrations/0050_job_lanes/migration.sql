-- Lanes: due jobs of each kind and requester take turns, and uploads go before everything else.
ALTER TABLE job
  ADD COLUMN urgent boolean NOT NULL DEFAULT false,
  ADD COLUMN requester_id text NOT NULL DEFAULT '',
  ADD COLUMN host text;
DROP INDEX job_due;
CREATE INDEX job_due ON job (urgent, kind, requester_id, run_at) WHERE state = 'queued';
CREATE INDEX job_started ON job (urgent, kind, requester_id, started_at) WHERE started_at IS NOT NULL;
CREATE INDEX job_host_queued ON job (host) WHERE state = 'queued' AND host IS NOT NULL;
-- Servers that do not answer. A row goes with the next answer.
CREATE TABLE job_host (
  host text PRIMARY KEY,
  failures int NOT NULL,
  paused_until timestamptz NOT NULL
);
CREATE INDEX job_host_paused_until ON job_host (paused_until);
