/** Whether names are taken. */
import type { Sql, Statement } from '../../kernel/db.ts';

export type NamedKind = 'DATASET' | 'GROUP';

const statements = {
  DATASET: { name: 'name_of_dataset', text: 'SELECT 1 FROM dataset WHERE name = $1' },
  GROUP: { name: 'name_of_group', text: 'SELECT 1 FROM group_account WHERE name = $1' },
} satisfies Record<NamedKind, Statement>;

/** Whether something of this kind has the name, whatever its state. */
export const isTaken = async (sql: Sql, kind: NamedKind, name: string): Promise<boolean> =>
  (await sql.rows(statements[kind], [name])).length > 0;
