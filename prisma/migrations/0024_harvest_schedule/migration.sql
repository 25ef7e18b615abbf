-- Whether a source is read again and again is said by `every` alone.
ALTER TABLE harvest_source DROP COLUMN active;
