-- Lists by display title, without regard to case, in code point order: Prisma cannot sort by an expression.
ALTER TABLE group_account ADD COLUMN sort_title text COLLATE "C"
  GENERATED ALWAYS AS (lower(COALESCE(NULLIF(title, ''), name) COLLATE "default")) STORED;
-- Extras of groups are in code point order of their keys.
ALTER TABLE group_extra ALTER COLUMN key TYPE text COLLATE "C";
