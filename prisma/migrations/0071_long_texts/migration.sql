-- Lists sorted by a text that may be longer than a row of an index: a dataset with such a title could not be stored.
DROP INDEX dataset_document_public_title;
CREATE INDEX dataset_document_public_title ON dataset_document ((left(title, 250)) COLLATE "C", dataset_id) WHERE state = 'active' AND NOT private;
DROP INDEX resource_named;
CREATE INDEX resource_named ON resource ((left(COALESCE(name, ''), 250)) COLLATE "C", id) WHERE state = 'active';
DROP INDEX user_account_shown;
CREATE INDEX user_account_shown ON user_account ((left(display_name, 250)), name) WHERE state = 'active';

-- Equal licenses are all that is looked for. No statement looks for equal formats.
DROP INDEX dataset_license;
CREATE INDEX dataset_license ON dataset USING hash (license_id);
DROP INDEX resource_format;
