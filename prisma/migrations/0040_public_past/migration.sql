-- What was public when it happened stays visible, after the object is deleted or hidden too (docs/decisions/0022).

-- Whether everybody could read of the change when it happened. False again once its object is purged.
ALTER TABLE change ADD COLUMN is_public boolean NOT NULL DEFAULT false;

-- public: everybody may read the revision. purged: everybody could, and all that was public in it was purged; it stays a valid
-- position for readers that go on from it. private: those who may read one of the things that it changed.
ALTER TABLE revision ADD COLUMN visibility text NOT NULL DEFAULT 'private' CHECK (visibility IN ('public', 'purged', 'private'));

-- Groups and the owner of a dataset when a public activity of it happened: it stays in their streams.
CREATE TABLE activity_group (
  group_id text NOT NULL REFERENCES group_account (id) ON DELETE CASCADE,
  sequence bigint NOT NULL REFERENCES change (sequence) ON DELETE CASCADE,
  PRIMARY KEY (group_id, sequence)
);
CREATE INDEX activity_group_sequence ON activity_group (sequence);

-- Rows from before, from the copies that revisions kept. What no copy proves public stays with those who may read the object.
WITH copy AS (
    SELECT dataset_id, revision_id, state, private, lag(state) OVER older AS state_before, lag(private) OVER older AS private_before
    FROM dataset_history WINDOW older AS (PARTITION BY dataset_id ORDER BY version))
  UPDATE change c SET is_public = true FROM copy h
  WHERE c.object_type = 'dataset' AND c.action <> 'noted' AND h.dataset_id = c.object_id AND h.revision_id = c.revision_id AND NOT h.private
    AND (h.state = 'active' OR (c.action = 'deleted' AND h.state = 'deleted' AND h.state_before = 'active' AND NOT h.private_before));
-- Changes that leave no copy: the copy of the time.
UPDATE change c SET is_public = true
  WHERE c.object_type = 'dataset' AND c.action <> 'purged'
    AND NOT EXISTS (SELECT FROM dataset_history h WHERE h.dataset_id = c.object_id AND h.revision_id = c.revision_id)
    AND (SELECT h.state = 'active' AND NOT h.private FROM dataset_history h WHERE h.dataset_id = c.object_id
      AND h.created_at <= c.created_at ORDER BY h.version DESC LIMIT 1);
UPDATE change c SET is_public = true
  WHERE c.object_type IN ('group', 'organization') AND EXISTS (SELECT FROM group_account g WHERE g.id = c.object_id)
    AND (c.action = 'deleted' OR coalesce(c.detail -> 'row' ->> 'state', (SELECT CASE p.action WHEN 'deleted' THEN 'deleted' ELSE 'active' END
      FROM change p WHERE p.object_type = c.object_type AND p.object_id = c.object_id AND p.sequence <= c.sequence
        AND p.action IN ('created', 'deleted', 'restored') ORDER BY p.sequence DESC LIMIT 1), 'deleted') = 'active');
UPDATE change c SET is_public = true
  WHERE c.object_type IN ('tag', 'vocabulary')
    OR (c.object_type = 'user' AND EXISTS (SELECT FROM user_account u WHERE u.id = c.object_id AND u.state = 'active'))
    OR (c.object_type = 'related' AND c.activity_id IS NOT NULL AND (c.detail ->> 'datasetId' IS NULL
      OR EXISTS (SELECT FROM dataset d WHERE d.id = c.detail ->> 'datasetId')));
UPDATE revision r SET visibility = 'public' WHERE EXISTS (SELECT FROM change c WHERE c.revision_id = r.id AND c.is_public
  AND c.object_type IN ('dataset', 'group', 'organization', 'user', 'tag', 'vocabulary'));
UPDATE revision r SET visibility = 'purged' WHERE r.visibility = 'private' AND EXISTS (SELECT FROM change c WHERE c.revision_id = r.id
  AND c.activity_id IS NOT NULL AND ((c.object_type = 'dataset' AND NOT EXISTS (SELECT FROM dataset d WHERE d.id = c.object_id))
    OR (c.object_type IN ('group', 'organization') AND NOT EXISTS (SELECT FROM group_account g WHERE g.id = c.object_id))));
-- Streams show nothing of what was purged.
UPDATE change c SET activity_id = NULL WHERE c.activity_id IS NOT NULL
  AND ((c.object_type = 'dataset' AND NOT EXISTS (SELECT FROM dataset d WHERE d.id = c.object_id))
    OR (c.object_type = 'related' AND c.detail ->> 'datasetId' IS NOT NULL
      AND NOT EXISTS (SELECT FROM dataset d WHERE d.id = c.detail ->> 'datasetId'))
    OR (c.object_type IN ('group', 'organization') AND NOT EXISTS (SELECT FROM group_account g WHERE g.id = c.object_id)));
INSERT INTO activity_group (group_id, sequence)
  SELECT DISTINCT g.id, c.sequence FROM change c
    JOIN dataset_history h ON h.dataset_id = c.object_id AND h.revision_id = c.revision_id
    CROSS JOIN LATERAL (SELECT h.owner_organization_id AS id UNION
      SELECT f.value ->> 'id' FROM jsonb_array_elements(h.document::jsonb -> 'groups') f) AS wanted
    JOIN group_account g ON g.id = wanted.id
  WHERE c.object_type = 'dataset' AND c.activity_id IS NOT NULL AND c.is_public;
-- A dataset that is public now stands in the streams of its groups and owner of now.
DELETE FROM activity_group a USING change c, dataset d
  WHERE d.state = 'active' AND NOT d.private AND c.object_type = 'dataset' AND c.object_id = d.id AND a.sequence = c.sequence
    AND a.group_id IS DISTINCT FROM d.owner_organization_id
    AND NOT EXISTS (SELECT FROM dataset_group f WHERE f.dataset_id = d.id AND f.group_id = a.group_id);

CREATE INDEX revision_public ON revision (created_at DESC, id) WHERE visibility = 'public';
CREATE INDEX revision_hidden ON revision (created_at DESC, id) WHERE visibility <> 'public';
-- Purging a dataset finds the activities of its related items.
CREATE INDEX change_related_dataset ON change ((detail ->> 'datasetId')) WHERE object_type = 'related' AND activity_id IS NOT NULL;
