/** Settings that were changed at run time. A trigger tells every process of a change. */
import type { Sql, Statement } from '../../kernel/db.ts';

const statements = {
  all: { name: 'site_options', text: 'SELECT name, value FROM site_option' },
  put: {
    name: 'site_options_put',
    text: `INSERT INTO site_option (name, value, changed_at) SELECT o.name, o.value, $3 FROM unnest($1::text[], $2::text[]) AS o(name, value)
      ORDER BY o.name ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value, changed_at = EXCLUDED.changed_at`,
  },
  drop: { name: 'site_options_drop', text: 'DELETE FROM site_option WHERE name = ANY ($1)' },
} satisfies Record<string, Statement>;

/** All of them, in no order. */
export const listOptions = (sql: Sql): Promise<{ name: string; value: string }[]> => sql.rows(statements.all);

export const putOptions = async (
  sql: Sql,
  options: readonly { name: string; value: string }[],
  now: Date,
): Promise<void> =>
  void (await sql.rows(statements.put, [options.map(({ name }) => name), options.map(({ value }) => value), now]));

export const dropOptions = async (sql: Sql, names: readonly string[]): Promise<void> =>
  void (await sql.rows(statements.drop, [names]));
