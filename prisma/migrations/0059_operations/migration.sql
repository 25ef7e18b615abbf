-- Server processes: a row each, with a heartbeat.
CREATE TABLE server_process (
  id text COLLATE "C" PRIMARY KEY,
  host text NOT NULL,
  pid integer NOT NULL,
  version text NOT NULL,
  started_at timestamptz(6) NOT NULL,
  beat_at timestamptz(6) NOT NULL,
  memory bigint NOT NULL,
  slowest jsonb NOT NULL DEFAULT '[]'
);

-- Requests of each process per minute. The process adds to the current minute every few seconds.
CREATE TABLE server_minute (
  minute timestamptz(6) NOT NULL,
  process_id text COLLATE "C" NOT NULL REFERENCES server_process (id) ON DELETE CASCADE,
  requests bigint NOT NULL,
  refused bigint NOT NULL,
  failed bigint NOT NULL,
  milliseconds double precision NOT NULL,
  PRIMARY KEY (minute, process_id)
);

CREATE INDEX server_minute_process ON server_minute (process_id);
