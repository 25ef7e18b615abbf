-- What the search looks at, beside dataset_document and written in the same transaction.

-- Every value that datasets are filtered by and counted by, as a number. Kept for good: the numbers are remembered by processes.
CREATE TABLE search_value (
  code integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  field text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  UNIQUE (field, value)
);

-- A dataset that is removed for good leaves its row behind, empty: processes that remember its values learn of it that way.
-- `written` is the transaction that last wrote the row: what is older than a snapshot's oldest open transaction is settled.
CREATE TABLE dataset_search (
  dataset_id text PRIMARY KEY,
  number integer GENERATED ALWAYS AS IDENTITY UNIQUE,
  written xid8 NOT NULL DEFAULT pg_current_xact_id(),
  public boolean NOT NULL,
  state text NOT NULL,
  private boolean NOT NULL,
  owner_organization_id text,
  creator_id text,
  name text COLLATE "C" NOT NULL,
  title text COLLATE "C" NOT NULL,
  created_at timestamptz(6) NOT NULL,
  modified_at timestamptz(6) NOT NULL,
  resource_count integer NOT NULL,
  tag_count integer NOT NULL,
  length_factor real NOT NULL,
  facets integer[] NOT NULL,
  words tsvector NOT NULL,
  field_words tsvector NOT NULL
);
CREATE INDEX dataset_search_modified ON dataset_search (modified_at DESC, number) WHERE public;
CREATE INDEX dataset_search_written ON dataset_search (written);
-- Few entries wait to be sorted in: every search looks through them.
CREATE INDEX dataset_search_facets ON dataset_search USING gin (facets) WITH (gin_pending_list_limit = 128);
CREATE INDEX dataset_search_words ON dataset_search USING gin (words) WITH (gin_pending_list_limit = 128);
CREATE INDEX dataset_search_field_words ON dataset_search USING gin (field_words) WITH (gin_pending_list_limit = 128);
CREATE INDEX dataset_search_owner ON dataset_search (owner_organization_id);
CREATE INDEX dataset_search_name ON dataset_search (name);

-- Who may see a dataset follows its document, whichever statement wrote that: nothing is shown a moment too long.
CREATE FUNCTION follow_dataset_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    UPDATE dataset_search SET written = pg_current_xact_id(), public = false, state = 'purged', facets = '{}', words = '',
      field_words = '' WHERE dataset_id = OLD.dataset_id;
  ELSE
    UPDATE dataset_search SET written = pg_current_xact_id(), public = (NEW.state = 'active' AND NOT NEW.private),
      state = NEW.state, private = NEW.private, owner_organization_id = NEW.owner_organization_id,
      creator_id = NEW.creator_id, modified_at = NEW.modified_at WHERE dataset_id = NEW.dataset_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER follow_dataset_document AFTER UPDATE ON dataset_document FOR EACH ROW
  WHEN ((OLD.state, OLD.private, OLD.owner_organization_id, OLD.creator_id) IS DISTINCT FROM
    (NEW.state, NEW.private, NEW.owner_organization_id, NEW.creator_id)) EXECUTE FUNCTION follow_dataset_document();
CREATE TRIGGER leave_dataset_document AFTER DELETE ON dataset_document FOR EACH ROW EXECUTE FUNCTION follow_dataset_document();
