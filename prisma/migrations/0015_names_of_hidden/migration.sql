-- Names of datasets that are not public, in the order of dataset_document_public_name, to list both together.
CREATE INDEX dataset_document_hidden_name ON dataset_document (name COLLATE "C") WHERE state <> 'active' OR private;
