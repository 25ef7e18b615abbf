-- Statuses of one entity are listed by type and key in code point order: Prisma cannot name a collation in a query.
ALTER TABLE task_status ALTER COLUMN task_type TYPE text COLLATE "C", ALTER COLUMN key TYPE text COLLATE "C";
