-- Creations that their callers may ask for again: which request a user's key stands for, and what it made. Kept for a day.
CREATE TABLE idempotency_key (
  user_id text NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
  key text NOT NULL,
  mutation text NOT NULL,
  -- Keyed hash of the input, so that a key used twice for different things is noticed.
  input_hash text NOT NULL,
  -- Null only inside the transaction that makes it.
  object_id text,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_id, key)
);
CREATE INDEX idempotency_key_created ON idempotency_key (created_at);
