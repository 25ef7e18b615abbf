-- Orders of resources across datasets. Resources without a name or time have an empty text there.
CREATE INDEX resource_named ON resource ((COALESCE(name, '')) COLLATE "C", id) WHERE state = 'active';
CREATE INDEX resource_created ON resource ((COALESCE(created, '')) COLLATE "C" DESC, id) WHERE state = 'active';
CREATE INDEX resource_modified ON resource ((COALESCE(last_modified, created, '')) COLLATE "C" DESC, id) WHERE state = 'active';
-- Organizations by their number of public datasets.
CREATE INDEX dataset_document_public_owner ON dataset_document (owner_organization_id) WHERE state = 'active' AND NOT private;
