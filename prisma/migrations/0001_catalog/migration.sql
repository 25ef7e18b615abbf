-- The catalog core. PostgreSQL 14 or later. Instants are timestamptz; ids are text because clients may choose their own.

CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE TABLE user_account (
  id text PRIMARY KEY,
  name text NOT NULL UNIQUE,
  full_name text,
  email text,
  about text,
  open_id text,
  password_hash text,
  api_key_sealed text,
  api_key_hash text UNIQUE,
  sysadmin boolean NOT NULL DEFAULT false,
  state text NOT NULL DEFAULT 'active',
  email_notifications boolean NOT NULL DEFAULT false,
  created_at timestamptz(6) NOT NULL DEFAULT now(),
  version integer NOT NULL DEFAULT 1
);
CREATE INDEX user_account_name_trgm ON user_account USING gin (name gin_trgm_ops, full_name gin_trgm_ops);
CREATE INDEX user_account_email ON user_account (lower(email));

CREATE TABLE revision (
  id text PRIMARY KEY,
  created_at timestamptz(6) NOT NULL DEFAULT now(),
  author_id text REFERENCES user_account (id) ON DELETE SET NULL,
  author text NOT NULL,
  message text NOT NULL
);
CREATE INDEX revision_author ON revision (author_id);
CREATE INDEX revision_created ON revision (created_at DESC, id);

-- transaction_id lets a reader of the log wait for every older transaction: rows are safe to hand out
-- once transaction_id < pg_snapshot_xmin(pg_current_snapshot()). Sequences alone do not follow commit order.
CREATE TABLE change (
  sequence bigserial PRIMARY KEY,
  transaction_id xid8 NOT NULL DEFAULT pg_current_xact_id(),
  revision_id text NOT NULL REFERENCES revision (id),
  created_at timestamptz(6) NOT NULL DEFAULT now(),
  actor_id text,
  object_type text NOT NULL,
  object_id text NOT NULL,
  action text NOT NULL,
  detail jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX change_object ON change (object_type, object_id, sequence);
CREATE INDEX change_revision ON change (revision_id);

CREATE TABLE group_account (
  id text PRIMARY KEY,
  name text NOT NULL UNIQUE,
  title text NOT NULL,
  description text NOT NULL,
  image_url text NOT NULL,
  type text NOT NULL,
  is_organization boolean NOT NULL,
  approval_status text NOT NULL DEFAULT 'approved',
  state text NOT NULL DEFAULT 'active',
  created_at timestamptz(6) NOT NULL DEFAULT now(),
  revision_id text NOT NULL,
  version integer NOT NULL DEFAULT 1
);
CREATE INDEX group_account_listed ON group_account (is_organization, type, name) WHERE state = 'active';
CREATE INDEX group_account_name_trgm ON group_account USING gin (name gin_trgm_ops, title gin_trgm_ops);

CREATE TABLE group_extra (
  id text PRIMARY KEY,
  group_id text NOT NULL REFERENCES group_account (id) ON DELETE CASCADE,
  key text NOT NULL,
  value text NOT NULL,
  revision_id text NOT NULL,
  UNIQUE (group_id, key)
);

CREATE TABLE group_parent (
  id text PRIMARY KEY,
  child_id text NOT NULL REFERENCES group_account (id) ON DELETE CASCADE,
  parent_id text NOT NULL REFERENCES group_account (id) ON DELETE CASCADE,
  capacity text NOT NULL DEFAULT 'parent',
  revision_id text NOT NULL,
  UNIQUE (child_id, parent_id),
  CHECK (child_id <> parent_id)
);
CREATE INDEX group_parent_parent ON group_parent (parent_id);

CREATE TABLE membership (
  id text PRIMARY KEY,
  group_id text NOT NULL REFERENCES group_account (id) ON DELETE CASCADE,
  user_id text NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
  capacity text NOT NULL,
  revision_id text NOT NULL,
  UNIQUE (group_id, user_id)
);
CREATE INDEX membership_user ON membership (user_id);

CREATE TABLE dataset (
  id text PRIMARY KEY,
  name text NOT NULL UNIQUE,
  title text NOT NULL,
  notes text,
  url text,
  label text,
  author text,
  author_email text,
  maintainer text,
  maintainer_email text,
  license_id text,
  type text NOT NULL DEFAULT 'dataset',
  state text NOT NULL DEFAULT 'active',
  private boolean NOT NULL DEFAULT false,
  owner_organization_id text REFERENCES group_account (id),
  creator_id text REFERENCES user_account (id) ON DELETE SET NULL,
  created_at timestamptz(6) NOT NULL,
  modified_at timestamptz(6) NOT NULL,
  revision_id text NOT NULL,
  version integer NOT NULL DEFAULT 1,
  fields jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX dataset_owner ON dataset (owner_organization_id);
CREATE INDEX dataset_creator ON dataset (creator_id);

CREATE TABLE resource (
  id text PRIMARY KEY,
  dataset_id text NOT NULL REFERENCES dataset (id) ON DELETE CASCADE,
  position integer NOT NULL,
  state text NOT NULL DEFAULT 'active',
  url text NOT NULL,
  name text,
  description text NOT NULL,
  format text NOT NULL,
  hash text NOT NULL,
  mimetype text,
  mimetype_inner text,
  resource_type text,
  url_type text,
  cache_url text,
  webstore_url text,
  size bigint,
  created text,
  last_modified text,
  cache_last_updated text,
  webstore_last_updated text,
  extras jsonb NOT NULL DEFAULT '{}',
  revision_id text NOT NULL,
  version integer NOT NULL DEFAULT 1
);
CREATE INDEX resource_dataset ON resource (dataset_id, position);
CREATE INDEX resource_format ON resource (format) WHERE state = 'active';
CREATE INDEX resource_trgm ON resource USING gin (url gin_trgm_ops, description gin_trgm_ops, name gin_trgm_ops);

CREATE TABLE dataset_extra (
  dataset_id text NOT NULL REFERENCES dataset (id) ON DELETE CASCADE,
  key text NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (dataset_id, key)
);

CREATE TABLE vocabulary (
  id text PRIMARY KEY,
  name text NOT NULL UNIQUE,
  version integer NOT NULL DEFAULT 1
);

CREATE TABLE tag (
  id text PRIMARY KEY,
  name text NOT NULL,
  vocabulary_id text REFERENCES vocabulary (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX tag_free ON tag (name) WHERE vocabulary_id IS NULL;
CREATE UNIQUE INDEX tag_controlled ON tag (vocabulary_id, name) WHERE vocabulary_id IS NOT NULL;
CREATE INDEX tag_name_trgm ON tag USING gin (name gin_trgm_ops);

CREATE TABLE dataset_tag (
  dataset_id text NOT NULL REFERENCES dataset (id) ON DELETE CASCADE,
  tag_id text NOT NULL REFERENCES tag (id) ON DELETE CASCADE,
  PRIMARY KEY (dataset_id, tag_id)
);
CREATE INDEX dataset_tag_tag ON dataset_tag (tag_id);

CREATE TABLE dataset_group (
  id text PRIMARY KEY,
  dataset_id text NOT NULL REFERENCES dataset (id) ON DELETE CASCADE,
  group_id text NOT NULL REFERENCES group_account (id) ON DELETE CASCADE,
  capacity text NOT NULL DEFAULT 'public',
  revision_id text NOT NULL,
  UNIQUE (dataset_id, group_id)
);
CREATE INDEX dataset_group_group ON dataset_group (group_id);

CREATE TABLE dataset_relationship (
  id text PRIMARY KEY,
  subject_id text NOT NULL REFERENCES dataset (id) ON DELETE CASCADE,
  object_id text NOT NULL REFERENCES dataset (id) ON DELETE CASCADE,
  type text NOT NULL,
  comment text NOT NULL,
  UNIQUE (subject_id, object_id, type)
);
CREATE INDEX dataset_relationship_object ON dataset_relationship (object_id);

-- The read model. Two look-ups matter: by id and by name; lists walk the partial indexes by keyset.
CREATE TABLE dataset_document (
  dataset_id text PRIMARY KEY REFERENCES dataset (id) ON DELETE CASCADE,
  name text NOT NULL UNIQUE,
  title text NOT NULL,
  type text NOT NULL,
  state text NOT NULL,
  private boolean NOT NULL,
  owner_organization_id text,
  creator_id text,
  created_at timestamptz(6) NOT NULL,
  modified_at timestamptz(6) NOT NULL,
  version integer NOT NULL,
  document text NOT NULL
);
CREATE INDEX dataset_document_public_name ON dataset_document (name COLLATE "C") WHERE state = 'active' AND NOT private;
CREATE INDEX dataset_document_public_modified ON dataset_document (modified_at DESC, dataset_id) WHERE state = 'active' AND NOT private;
CREATE INDEX dataset_document_owner ON dataset_document (owner_organization_id, modified_at DESC, dataset_id);
CREATE INDEX dataset_document_creator ON dataset_document (creator_id, modified_at DESC, dataset_id);
CREATE INDEX dataset_document_trgm ON dataset_document USING gin (name gin_trgm_ops, title gin_trgm_ops);

CREATE TABLE dataset_history (
  dataset_id text NOT NULL,
  revision_id text NOT NULL REFERENCES revision (id),
  created_at timestamptz(6) NOT NULL,
  version integer NOT NULL,
  document text NOT NULL,
  PRIMARY KEY (dataset_id, revision_id)
);
CREATE INDEX dataset_history_time ON dataset_history (dataset_id, created_at);
