-- Orders of lists: each page is read from an index, at any depth and in both directions.
CREATE INDEX dataset_document_public_title ON dataset_document (title COLLATE "C", dataset_id) WHERE state = 'active' AND NOT private;
CREATE INDEX dataset_document_public_created ON dataset_document (created_at DESC, dataset_id) WHERE state = 'active' AND NOT private;
CREATE INDEX user_account_shown ON user_account (display_name, name) WHERE state = 'active';
CREATE INDEX user_account_created ON user_account (created_at DESC, name) WHERE state = 'active';

-- Filters of lists.
CREATE INDEX dataset_license ON dataset (license_id);

-- Activities of every kind in one list, and the position of a point in time in the log.
CREATE INDEX change_activity_sequence ON change (sequence) WHERE activity_id IS NOT NULL;
DROP INDEX change_activity_dataset;
CREATE INDEX change_created ON change (created_at);
