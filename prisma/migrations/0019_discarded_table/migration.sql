-- Tables of resources that are gone: noted in the transaction that deletes the resource, dropped in the DataStore's database after it.
CREATE TABLE discarded_table (resource_id text PRIMARY KEY);

CREATE FUNCTION discard_resource_table() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO discarded_table (resource_id) VALUES (OLD.id) ON CONFLICT DO NOTHING;
  PERFORM pg_notify('discarded_table', '');
  RETURN NULL;
END $$;
CREATE TRIGGER resource_table_deleted AFTER DELETE ON resource FOR EACH ROW
  WHEN (OLD.datastore_active) EXECUTE FUNCTION discard_resource_table();
