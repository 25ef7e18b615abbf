-- A copy of a dataset says by itself who could see it then, without anybody parsing its document.
ALTER TABLE dataset_history ADD COLUMN name text, ADD COLUMN state text, ADD COLUMN private boolean,
  ADD COLUMN owner_organization_id text, ADD COLUMN creator_id text;
UPDATE dataset_history h SET name = d ->> 'name', state = d ->> 'state', private = (d ->> 'private')::boolean,
    owner_organization_id = d ->> 'owner_org', creator_id = d ->> 'creator_user_id'
  FROM (SELECT dataset_id, revision_id, document::jsonb AS d FROM dataset_history) AS parsed
  WHERE parsed.dataset_id = h.dataset_id AND parsed.revision_id = h.revision_id;
ALTER TABLE dataset_history ALTER COLUMN name SET NOT NULL, ALTER COLUMN state SET NOT NULL, ALTER COLUMN private SET NOT NULL;

-- Copies are walked by version: times are those of requests, and a request may wait for the row's lock.
DROP INDEX dataset_history_time;
CREATE INDEX dataset_history_version ON dataset_history (dataset_id, version DESC) INCLUDE (created_at);

-- Groups and organizations that a revision concerns though it did not change their own rows: a dataset came in or went out.
CREATE TABLE revision_group (
  group_id text NOT NULL REFERENCES group_account (id) ON DELETE CASCADE,
  revision_id text NOT NULL REFERENCES revision (id),
  PRIMARY KEY (group_id, revision_id)
);
CREATE INDEX revision_group_revision ON revision_group (revision_id);
INSERT INTO revision_group (group_id, revision_id)
  SELECT f.group_id, f.revision_id FROM dataset_group f JOIN revision r ON r.id = f.revision_id
  UNION SELECT g.id, h.revision_id FROM (
      SELECT revision_id, owner_organization_id AS owner, lag(owner_organization_id) OVER (PARTITION BY dataset_id ORDER BY version) AS before
      FROM dataset_history) AS h
    JOIN group_account g ON g.id = h.owner WHERE h.owner IS DISTINCT FROM h.before;

-- Relationships are listed in the order in which they were made.
ALTER TABLE dataset_relationship ADD COLUMN sequence bigserial NOT NULL;

-- Only documents that show relationships are looked through before somebody sees them.
ALTER TABLE dataset_document ADD COLUMN linked boolean NOT NULL DEFAULT false;
UPDATE dataset_document d SET linked = true
  WHERE EXISTS (SELECT 1 FROM dataset_relationship r WHERE d.dataset_id IN (r.subject_id, r.object_id));
