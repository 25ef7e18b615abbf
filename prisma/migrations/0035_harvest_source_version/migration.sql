-- Who changes a source says which version they have read.
ALTER TABLE harvest_source ADD COLUMN version integer NOT NULL DEFAULT 1;
