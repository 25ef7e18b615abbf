-- The name that people see, for orders and cursors of lists: Prisma cannot sort by an expression.
ALTER TABLE user_account ADD COLUMN display_name text COLLATE "C" NOT NULL
  GENERATED ALWAYS AS (coalesce(nullif(btrim(full_name), ''), name)) STORED;
