/** Creates the databases and roles of a server. Catalog and DataStore have separate roles and databases. */
import type { Client } from 'pg';

/** Increase it when the statements below change, so that existing servers run them too. All are idempotent. */
const LEVEL = 'catalog-gateway 3';

/** Creates missing roles and databases. `inDatabase` returns an administrator's client for another database of the server. */
export async function provision(admin: Client, inDatabase: (name: string) => Client): Promise<void> {
  await admin.query('SELECT pg_advisory_lock(72707370)'); // two processes may start on a new server concurrently
  try {
    const { rows } = await admin.query(
      `SELECT shobj_description(oid, 'pg_database') AS level FROM pg_database WHERE datname = 'datastore'`,
    );
    if (rows[0]?.level === LEVEL) return;
    await createRoles(admin);
    await admin.query('REVOKE ALL ON DATABASE postgres, template1 FROM PUBLIC');
    await createCatalog(admin, 'catalog');
    await createDatastore(admin, 'datastore', inDatabase);
    await admin.query(`COMMENT ON DATABASE datastore IS '${LEVEL}'`);
  } finally {
    await admin.query('SELECT pg_advisory_unlock(72707370)');
  }
}

/** The three roles, without administrator rights. They have no passwords, because only the socket gives access. */
export async function createRoles(admin: Client): Promise<void> {
  for (const role of ['catalog_owner', 'datastore_write', 'datastore_read']) {
    const { rowCount } = await admin.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
    if (!rowCount) await admin.query(`CREATE ROLE ${role} LOGIN`);
  }
  await admin.query('ALTER ROLE datastore_read SET default_transaction_read_only = on');
  await admin.query(`ALTER ROLE datastore_read SET temp_file_limit = '1GB'`); // limit of a caller's statement for sorting on disk
}

/** A catalog database that only its owner may access; a copy of `template` when set. */
export async function createCatalog(admin: Client, name: string, template?: string): Promise<void> {
  await createDatabase(admin, name, 'catalog_owner', template);
  await admin.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC`);
}

/** A DataStore database: datastore_write creates tables; datastore_read reads them and cannot create anything, not even a temporary table. */
export async function createDatastore(
  admin: Client,
  name: string,
  inDatabase: (name: string) => Client,
): Promise<void> {
  await createDatabase(admin, name, 'catalog_owner');
  await admin.query(`REVOKE ALL ON DATABASE ${name} FROM PUBLIC`);
  await admin.query(`GRANT CONNECT ON DATABASE ${name} TO datastore_write, datastore_read`);
  await admin.query(`GRANT TEMPORARY, CREATE ON DATABASE ${name} TO datastore_write`);
  const client = inDatabase(name);
  await client.connect();
  try {
    await client.query(`
      REVOKE ALL ON SCHEMA public FROM PUBLIC;
      GRANT USAGE, CREATE ON SCHEMA public TO datastore_write;
      GRANT USAGE ON SCHEMA public TO datastore_read;
      ALTER DEFAULT PRIVILEGES FOR ROLE datastore_write IN SCHEMA public GRANT SELECT ON TABLES TO datastore_read;
      ALTER DEFAULT PRIVILEGES FOR ROLE datastore_write REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;`);
  } finally {
    await client.end();
  }
}

async function createDatabase(admin: Client, name: string, owner: string, template?: string): Promise<void> {
  const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [name]);
  if (!rowCount) await admin.query(`CREATE DATABASE ${name} OWNER ${owner}${template ? ` TEMPLATE ${template}` : ''}`);
}
