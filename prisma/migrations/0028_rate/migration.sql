-- What callers have spent, shared by the processes of a site. Lost in a crash, which gives everybody a full bucket.
CREATE UNLOGGED TABLE rate_bucket (
  -- `user <id>` or `address <address>`.
  caller text PRIMARY KEY,
  -- When the caller will have saved up as much as may be saved.
  full_at timestamptz(6) NOT NULL
);
CREATE INDEX rate_bucket_full_at ON rate_bucket (full_at);
