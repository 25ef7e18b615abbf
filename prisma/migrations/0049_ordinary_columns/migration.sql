-- Lists by name are in code point order on every server: Prisma cannot name a collation in a query.
ALTER TABLE harvest_source ALTER COLUMN name TYPE text COLLATE "C";
-- Numbers as JavaScript has them: pg reads a bigint as text, Prisma as a BigInt.
ALTER TABLE job ALTER COLUMN progress_done TYPE double precision, ALTER COLUMN progress_total TYPE double precision;
-- No kinds of objects means all. Prisma has no lists that may be null.
UPDATE webhook SET types = '{}' WHERE types IS NULL;
ALTER TABLE webhook ALTER COLUMN types SET DEFAULT '{}', ALTER COLUMN types SET NOT NULL;
-- Pages of claims are in the database's order, as Prisma compares.
DROP INDEX table_claim_source;
CREATE INDEX table_claim_source ON table_claim (source_id, resource_id);
