-- Statistics (docs/decisions/0033): counts by scope, kept up from a queue of changed objects and from the change log.

-- Objects whose counts are out of date. Writers only insert rows, so none waits for another.
-- dataset, user: the id. change: the sequence of a change that is no longer public.
CREATE TABLE statistics_pending (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL,
  id text NOT NULL
);

-- How each object is counted at present: [dimension, key, resources, bytes, tables] in the counts of its scope.
CREATE TABLE statistics_object (
  kind text NOT NULL,
  id text NOT NULL,
  scope text NOT NULL,
  parts jsonb NOT NULL,
  PRIMARY KEY (kind, id)
);

CREATE TABLE statistics_count (
  scope text COLLATE "C" NOT NULL,
  dimension text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  objects bigint NOT NULL,
  resources bigint NOT NULL,
  bytes numeric(40, 0) NOT NULL,
  tables bigint NOT NULL,
  PRIMARY KEY (scope, dimension, key)
);
CREATE INDEX statistics_count_largest ON statistics_count (scope, dimension, objects DESC, key);

CREATE TABLE statistics_dimension (
  scope text COLLATE "C" NOT NULL,
  dimension text COLLATE "C" NOT NULL,
  keys bigint NOT NULL,
  objects bigint NOT NULL,
  PRIMARY KEY (scope, dimension)
);

CREATE TABLE statistics_period (
  scope text COLLATE "C" NOT NULL,
  dimension text COLLATE "C" NOT NULL,
  period text COLLATE "C" NOT NULL,
  start date NOT NULL,
  key text COLLATE "C" NOT NULL,
  action text COLLATE "C" NOT NULL,
  count bigint NOT NULL,
  PRIMARY KEY (scope, dimension, period, start, key, action)
);

CREATE TABLE statistics_cursor (
  id integer PRIMARY KEY CHECK (id = 1),
  position bigint NOT NULL
);

-- Whichever statement writes an object, its counts follow.
CREATE FUNCTION note_statistics_dataset() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO statistics_pending (kind, id) VALUES ('dataset', coalesce(NEW.dataset_id, OLD.dataset_id));
  RETURN NULL;
END $$;
CREATE TRIGGER note_statistics AFTER INSERT OR UPDATE OR DELETE ON dataset_document
  FOR EACH ROW EXECUTE FUNCTION note_statistics_dataset();

CREATE FUNCTION note_statistics_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO statistics_pending (kind, id) VALUES ('user', coalesce(NEW.id, OLD.id));
  RETURN NULL;
END $$;
CREATE TRIGGER note_statistics AFTER INSERT OR DELETE OR UPDATE OF state ON user_account
  FOR EACH ROW EXECUTE FUNCTION note_statistics_user();

CREATE FUNCTION note_statistics_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO statistics_pending (kind, id) VALUES ('change', NEW.sequence::text);
  RETURN NULL;
END $$;
CREATE TRIGGER note_statistics AFTER UPDATE OF is_public ON change
  FOR EACH ROW WHEN (OLD.is_public AND NOT NEW.is_public) EXECUTE FUNCTION note_statistics_change();

-- Existing objects: the first server, or the first reader, counts them in batches.
INSERT INTO statistics_pending (kind, id) SELECT 'dataset', dataset_id FROM dataset_document;
INSERT INTO statistics_pending (kind, id) SELECT 'user', id FROM user_account;
