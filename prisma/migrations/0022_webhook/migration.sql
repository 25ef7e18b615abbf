-- Where changes are sent to (docs/decisions/0017). The cursor is the place in the log up to which everything has been dealt with:
-- taken by the receiver, put among the dead letters, or nothing for this webhook.
CREATE TABLE webhook (
  id text PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  -- Whose rights decide what is sent.
  user_id text NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
  name text NOT NULL,
  url text NOT NULL,
  -- Sealed. The secret of before signs too until its time is over.
  secret text NOT NULL,
  secret_before text,
  secret_before_until timestamptz(3),
  -- Kinds of objects as the log calls them; null: all.
  types text[],
  -- Only what is in or of this organization; null: all. It may be purged: that too is told.
  organization_id text,
  batch_size integer NOT NULL CHECK (batch_size > 0),
  -- disabled: by the catalog, for the reason given.
  state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'paused', 'disabled')),
  reason text,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL,
  cursor bigint NOT NULL,
  -- The message under way: changes behind the cursor up to a place. It keeps both until it is dealt with.
  message_id text,
  message_end bigint,
  attempts integer NOT NULL DEFAULT 0,
  -- When the message is tried again; null: at once.
  due_at timestamptz(3),
  -- The process at work on it, and until when it must be heard of.
  holder text,
  held_until timestamptz(3),
  last_success_at timestamptz(3),
  last_failure_at timestamptz(3),
  last_status integer,
  last_error text,
  -- Tries without success in a row.
  failures integer NOT NULL DEFAULT 0
);
CREATE INDEX webhook_user ON webhook (user_id, number);

-- Messages that were given up. What they say is in the log: it is read again, by the rights of then, when one is sent again.
CREATE TABLE webhook_dead_letter (
  -- Id of the message.
  id text PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  webhook_id text NOT NULL REFERENCES webhook (id) ON DELETE CASCADE,
  -- Changes behind the one place up to the other.
  start_place bigint NOT NULL,
  end_place bigint NOT NULL,
  changes integer NOT NULL,
  attempts integer NOT NULL,
  status integer,
  error text,
  created_at timestamptz(3) NOT NULL,
  last_tried_at timestamptz(3) NOT NULL,
  -- Somebody asked for it to be sent again.
  is_queued boolean NOT NULL DEFAULT false
);
CREATE INDEX webhook_dead_letter_webhook ON webhook_dead_letter (webhook_id, number);
CREATE INDEX webhook_dead_letter_queued ON webhook_dead_letter (webhook_id, number) WHERE is_queued;
