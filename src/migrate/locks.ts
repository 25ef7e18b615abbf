/** Locks the tables of a migration before its first statement, so that requests and the migration never wait for each other. */
import type pg from 'pg';

/**
 * ms for one of the two LOCK statements. Both together stay below PostgreSQL's deadlock_timeout of 1 s. A request that waits for the
 * migration and holds a table that the migration waits for would be ended with an error after that time.
 */
const LOCK_WAIT = 400;
const NAME = String.raw`(?:IF EXISTS )?(?:ONLY )?"?(\w+)"?`;
/** Statements that wait for reading requests, and keep them waiting. */
const AGAINST_READS = new RegExp(
  `\\b(?:ALTER|DROP) TABLE ${NAME}|\\bTRUNCATE (?:TABLE )?${NAME}|\\bDROP TRIGGER (?:IF EXISTS )?\\w+ ON ${NAME}|\\bDROP INDEX ${NAME}`,
  'gi',
);
/** Statements that wait only for writing requests. */
const AGAINST_WRITES = new RegExp(
  `\\bCREATE (?:UNIQUE )?INDEX (?:IF NOT EXISTS )?\\w+ ON ${NAME}|\\bCREATE TRIGGER [^;]*? ON ${NAME}|\\bREFERENCES ${NAME}`,
  'gi',
);

/** Names that the expression captures in statements, without repetition, in order. */
function namesIn(sql: string, expression: RegExp): string[] {
  const text = sql.replace(/--.*$/gm, '').replace(/\s+/g, ' ');
  return [...new Set([...text.matchAll(expression)].map((found) => found.slice(1).find(Boolean)!.toLowerCase()))];
}

/**
 * Locks existing tables that the statements change, in the client's transaction. `attempt` turns the order around: a table that many long
 * requests read is then first in every second attempt.
 * @throws PostgreSQL's query_canceled when a table is in use for too long
 */
export async function lockTables(client: pg.ClientBase, sql: string, attempt: number): Promise<void> {
  const reads = await existing(client, namesIn(sql, AGAINST_READS));
  const writes = (await existing(client, namesIn(sql, AGAINST_WRITES))).filter((name) => !reads.includes(name));
  await client.query(`SET LOCAL statement_timeout = ${LOCK_WAIT}`);
  await lock(client, attempt % 2 === 0 ? reads.reverse() : reads, 'ACCESS EXCLUSIVE');
  await lock(client, writes, 'SHARE ROW EXCLUSIVE');
  await client.query('SET LOCAL statement_timeout = 0');
}

/** The identifiers, quoted, of those that are tables, and of the tables of those that are indexes. */
async function existing(client: pg.ClientBase, names: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('%I', t.relname) AS name FROM unnest($1::text[]) WITH ORDINALITY AS given (name, place)
     JOIN pg_class c ON c.oid = to_regclass(format('%I', given.name)) LEFT JOIN pg_index i ON i.indexrelid = c.oid
     JOIN pg_class t ON t.oid = coalesce(i.indrelid, c.oid) AND t.relkind IN ('r', 'p') GROUP BY t.relname ORDER BY min(place)`,
    [names],
  );
  return rows.map(({ name }) => name);
}

async function lock(client: pg.ClientBase, tables: readonly string[], mode: string): Promise<void> {
  if (tables.length > 0) await client.query(`LOCK TABLE ${tables.join(', ')} IN ${mode} MODE`);
}
