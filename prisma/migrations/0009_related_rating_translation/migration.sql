-- Works made from the data: an item of a dataset is hidden with it, and goes with it.
CREATE TABLE related_item (
  id text PRIMARY KEY,
  dataset_id text REFERENCES dataset (id) ON DELETE CASCADE,
  owner_id text REFERENCES user_account (id) ON DELETE SET NULL,
  title text NOT NULL,
  type text NOT NULL,
  description text,
  url text,
  image_url text,
  featured boolean NOT NULL DEFAULT false,
  view_count integer NOT NULL DEFAULT 0,
  created_at timestamptz(6) NOT NULL,
  version integer NOT NULL DEFAULT 1
);
CREATE INDEX related_item_created ON related_item (created_at, id);
CREATE INDEX related_item_dataset ON related_item (dataset_id, created_at, id);
CREATE INDEX related_item_owner ON related_item (owner_id);

-- One opinion for each user and dataset.
CREATE TABLE rating (
  dataset_id text NOT NULL REFERENCES dataset (id) ON DELETE CASCADE,
  user_id text NOT NULL REFERENCES user_account (id) ON DELETE CASCADE,
  rating smallint NOT NULL CHECK (rating BETWEEN 1 AND 5),
  created_at timestamptz(6) NOT NULL,
  PRIMARY KEY (dataset_id, user_id)
);
CREATE INDEX rating_user ON rating (user_id);

-- sequence keeps the order in which translations came: lists are in that order. Terms may be longer than an index entry.
CREATE TABLE term_translation (
  sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  term text NOT NULL,
  language text NOT NULL,
  translation text NOT NULL
);
CREATE UNIQUE INDEX term_translation_term ON term_translation (md5(term), language);
