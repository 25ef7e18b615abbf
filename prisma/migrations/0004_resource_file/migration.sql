-- Files of resources. The bytes are in the file store under `key`, which every new file has anew.
CREATE TABLE resource_file (
  resource_id text PRIMARY KEY REFERENCES resource (id) ON DELETE CASCADE,
  key text NOT NULL UNIQUE,
  name text NOT NULL,
  size bigint NOT NULL,
  created_at timestamptz(3) NOT NULL
);

-- Keys of files that nobody has any more: noted in the transaction that lets go of them, deleted from the store after it.
CREATE TABLE discarded_file (key text PRIMARY KEY);

CREATE FUNCTION discard_resource_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO discarded_file (key) VALUES (OLD.key) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER resource_file_deleted AFTER DELETE ON resource_file FOR EACH ROW EXECUTE FUNCTION discard_resource_file();
CREATE TRIGGER resource_file_replaced AFTER UPDATE ON resource_file FOR EACH ROW
  WHEN (OLD.key <> NEW.key) EXECUTE FUNCTION discard_resource_file();
