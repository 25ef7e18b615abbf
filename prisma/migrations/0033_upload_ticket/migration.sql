-- Files that are announced on /graphql and sent by PUT: who may send what, and the file once it came in, until a mutation uses it.
CREATE TABLE upload_ticket (
  -- Keyed hash of the token, which is known to the user alone.
  token_hash text PRIMARY KEY,
  user_id text NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
  size bigint NOT NULL,
  content_type text NOT NULL,
  sha256 text,
  expires_at timestamptz(3) NOT NULL,
  -- Where the store has the file: null until it came in, and again when something else has it.
  key text UNIQUE,
  -- The first bytes of it, by which images are known.
  start bytea,
  used boolean NOT NULL DEFAULT false
);
CREATE INDEX upload_ticket_user ON upload_ticket (user_id);
CREATE INDEX upload_ticket_expires ON upload_ticket (expires_at);

-- What files of resources do: the key of a file that nobody took is noted in discarded_file.
CREATE TRIGGER upload_ticket_deleted AFTER DELETE ON upload_ticket FOR EACH ROW
  WHEN (OLD.key IS NOT NULL) EXECUTE FUNCTION discard_file();
