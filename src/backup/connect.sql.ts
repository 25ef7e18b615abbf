/** Opens connections for backups and restores. In SQL because Prisma has no COPY, whose text formats these sessions set. */
import { Client } from '../infra/postgres/client.ts';

/** Text formats of values, independent of the settings of a server, and no timeouts. */
const SESSION = `SELECT set_config(name, value, false) FROM (VALUES ('timezone', 'UTC'), ('datestyle', 'ISO, MDY'), ('intervalstyle', 'postgres'),
    ('extra_float_digits', '1'), ('bytea_output', 'hex'), ('lc_monetary', 'C'), ('search_path', 'public'), ('client_encoding', 'UTF8'),
    ('statement_timeout', '0'), ('transaction_timeout', '0'), ('idle_in_transaction_session_timeout', '0'), ('idle_session_timeout', '0'))
  v (name, value) WHERE name IN (SELECT name FROM pg_settings)`;

/** A connection with text formats that every server reads alike. */
export async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'catalog backup' });
  await client.connect();
  await client.query(SESSION);
  return client;
}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Condition on pg_class: what an extension made is neither copied nor in the way of a restore. */
export const IS_OURS = `relnamespace = 'public'::regnamespace AND NOT EXISTS
  (SELECT FROM pg_depend e WHERE e.classid = 'pg_class'::regclass AND e.objid = pg_class.oid AND e.deptype = 'e')`;
