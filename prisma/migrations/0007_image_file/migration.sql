-- Images of groups, organizations and users that are kept here. The bytes are in the file store under `key`, which every new
-- image has anew; `name` is what image_url says and what its address ends with.
CREATE TABLE image_file (
  key text PRIMARY KEY,
  name text NOT NULL UNIQUE,
  group_id text UNIQUE REFERENCES group_account (id) ON DELETE CASCADE,
  user_id text UNIQUE REFERENCES user_account (id) ON DELETE CASCADE,
  media_type text NOT NULL,
  size bigint NOT NULL,
  created_at timestamptz(3) NOT NULL,
  CHECK (num_nonnulls(group_id, user_id) = 1)
);

ALTER TABLE user_account ADD COLUMN image_url text NOT NULL DEFAULT '';

-- What files of resources do, images do: the key of one that nobody has any more is noted in discarded_file.
ALTER FUNCTION discard_resource_file() RENAME TO discard_file;
CREATE TRIGGER image_file_deleted AFTER DELETE ON image_file FOR EACH ROW EXECUTE FUNCTION discard_file();
CREATE TRIGGER image_file_replaced AFTER UPDATE ON image_file FOR EACH ROW
  WHEN (OLD.key <> NEW.key) EXECUTE FUNCTION discard_file();
