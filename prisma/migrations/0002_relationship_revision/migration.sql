-- A relationship names the revision that made it, as every other part of a dataset does.
ALTER TABLE dataset_relationship ADD COLUMN revision_id text NOT NULL;
