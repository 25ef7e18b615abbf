-- Lists by name are in code point order on every server, whatever its locale: Prisma cannot name a collation in a query.
ALTER TABLE vocabulary ALTER COLUMN name TYPE text COLLATE "C";
ALTER TABLE user_account ALTER COLUMN name TYPE text COLLATE "C";
ALTER TABLE group_account ALTER COLUMN name TYPE text COLLATE "C";
