-- Metadata quality (docs/decisions/0040): the score of each dataset, their sums by scope and organization, and these sums by day.

-- Datasets to score. Writers only insert rows, so none waits for another.
CREATE TABLE quality_pending (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  dataset_id text NOT NULL
);
CREATE INDEX quality_pending_dataset ON quality_pending (dataset_id);

-- No foreign key: the row stays until the sums no longer count the dataset.
CREATE TABLE dataset_quality (
  dataset_id text PRIMARY KEY,
  points smallint NOT NULL,
  findability smallint NOT NULL,
  accessibility smallint NOT NULL,
  interoperability smallint NOT NULL,
  reusability smallint NOT NULL,
  contextuality smallint NOT NULL,
  checks text COLLATE "C" NOT NULL,
  faults text[] NOT NULL,
  stars smallint NOT NULL,
  scope text COLLATE "C",
  owner text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  scored_at timestamptz(3) NOT NULL
);
CREATE INDEX dataset_quality_worst ON dataset_quality (points, dataset_id);
CREATE INDEX dataset_quality_owner ON dataset_quality (owner, points, dataset_id);

-- Sums of active datasets. owner: id of the organization, empty for datasets without one, `*` for all.
CREATE TABLE quality_count (
  scope text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  sums bigint[] NOT NULL,
  PRIMARY KEY (scope, owner)
);

-- The same at the end of each day on which they changed.
CREATE TABLE quality_day (
  scope text COLLATE "C" NOT NULL,
  owner text COLLATE "C" NOT NULL,
  day date NOT NULL,
  sums bigint[] NOT NULL,
  PRIMARY KEY (scope, owner, day)
);

-- Whichever statement writes documents, their scores follow: one statement for all of its rows.
CREATE FUNCTION note_quality_documents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO quality_pending (dataset_id) SELECT dataset_id FROM written;
  RETURN NULL;
END $$;
CREATE TRIGGER note_quality_new AFTER INSERT ON dataset_document
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION note_quality_documents();
CREATE TRIGGER note_quality AFTER UPDATE ON dataset_document
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION note_quality_documents();
CREATE TRIGGER note_quality_gone AFTER DELETE ON dataset_document
  REFERENCING OLD TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION note_quality_documents();

CREATE FUNCTION note_quality_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO quality_pending (dataset_id) SELECT dataset_id FROM resource WHERE id = NEW.resource_id;
  RETURN NULL;
END $$;
CREATE TRIGGER note_quality AFTER UPDATE OF verdict ON resource_link
  FOR EACH ROW WHEN (OLD.verdict IS DISTINCT FROM NEW.verdict) EXECUTE FUNCTION note_quality_link();
CREATE TRIGGER note_quality_new AFTER INSERT ON resource_link
  FOR EACH ROW WHEN (NEW.verdict IS NOT NULL) EXECUTE FUNCTION note_quality_link();

-- Existing datasets: the first server scores them in batches.
INSERT INTO quality_pending (dataset_id) SELECT dataset_id FROM dataset_document;
