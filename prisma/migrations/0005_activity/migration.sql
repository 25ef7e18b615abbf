-- The activity that a change makes in streams. Null where it makes none: private and draft datasets, memberships, tags, keys.
ALTER TABLE change ADD COLUMN activity_id text;

-- What was written before: datasets that were public then, groups, and accounts that were made or changed.
UPDATE change c SET activity_id = gen_random_uuid()::text
WHERE (c.object_type = 'dataset' AND c.action IN ('created', 'updated', 'deleted', 'restored') AND EXISTS (
    SELECT FROM dataset_history h WHERE h.dataset_id = c.object_id AND h.revision_id = c.revision_id
      AND h.document::jsonb ->> 'private' = 'false' AND (c.action = 'deleted' OR h.document::jsonb ->> 'state' = 'active')))
  OR (c.object_type IN ('group', 'organization') AND c.action IN ('created', 'updated', 'restored') AND c.detail ? 'version')
  OR (c.object_type = 'user' AND c.actor_id IS NOT NULL AND (c.action = 'created'
    OR (c.action = 'updated' AND c.detail -> 'fields' NOT IN ('[]', '["apiKey"]'))));

CREATE UNIQUE INDEX change_activity ON change (activity_id) WHERE activity_id IS NOT NULL;
CREATE INDEX change_activity_actor ON change (actor_id, sequence) WHERE activity_id IS NOT NULL;
CREATE INDEX change_activity_dataset ON change (sequence) WHERE activity_id IS NOT NULL AND object_type = 'dataset';

-- What a user has been told, on the dashboard and by e-mail: places in the log. Without a row, nothing since the account was made.
CREATE TABLE dashboard (
  user_id text PRIMARY KEY REFERENCES user_account (id) ON DELETE CASCADE,
  seen_at timestamptz(3),
  seen_sequence bigint,
  mailed_sequence bigint
);
CREATE INDEX user_account_mailed ON user_account (id) WHERE email_notifications AND state = 'active';
