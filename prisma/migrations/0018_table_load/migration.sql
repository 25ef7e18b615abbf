-- What the table of a resource was last loaded from, so that the same file is not loaded again.
CREATE TABLE table_load (
  resource_id text PRIMARY KEY REFERENCES resource (id) ON DELETE CASCADE,
  -- Key of the file, or address of the link.
  source text NOT NULL,
  -- SHA-256 of the bytes, in hexadecimal.
  hash text NOT NULL,
  size bigint NOT NULL,
  etag text,
  modified text,
  rows bigint NOT NULL,
  loaded_at timestamptz NOT NULL
);
