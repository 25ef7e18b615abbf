-- Who follows what. Groups and organizations share ids and are one type here.
CREATE TABLE follower (
  follower_id text NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
  object_type text NOT NULL CHECK (object_type IN ('user', 'dataset', 'group')),
  object_id text NOT NULL,
  created_at timestamptz(6) NOT NULL,
  PRIMARY KEY (follower_id, object_type, object_id)
);
CREATE INDEX follower_object ON follower (object_type, object_id, follower_id);

-- What is removed for good has no followers. A foreign key cannot say it: there are three kinds of objects.
CREATE FUNCTION forget_followers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM follower WHERE object_type = TG_ARGV[0] AND object_id = OLD.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER forget_followers AFTER DELETE ON user_account FOR EACH ROW EXECUTE FUNCTION forget_followers('user');
CREATE TRIGGER forget_followers AFTER DELETE ON dataset FOR EACH ROW EXECUTE FUNCTION forget_followers('dataset');
CREATE TRIGGER forget_followers AFTER DELETE ON group_account FOR EACH ROW EXECUTE FUNCTION forget_followers('group');
