-- Which resources have a table in the DataStore, and which of these are hidden like the tables of a private dataset.
ALTER TABLE resource
  ADD COLUMN datastore_active boolean NOT NULL DEFAULT false,
  ADD COLUMN datastore_private boolean NOT NULL DEFAULT false;
