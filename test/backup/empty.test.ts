/** A restore changes nothing in a database that another restore or a server writes to. */
import { expect, it } from '@jest/globals';
import { migrationsOf, openCatalogRestore } from '../../src/backup/catalog.sql.ts';
import { connect } from '../../src/backup/connect.sql.ts';
import { query } from '../helpers/backups.ts';
import { createEmptyDatabase } from '../helpers/database.ts';
import { createWorld } from '../helpers/world.ts';

it('refuses to restore during another restore and beside a server', async () => {
  const world = await createWorld();
  const empty = await createEmptyDatabase();
  try {
    await world.make.dataset();
    const { url } = world.database;
    const client = await connect(url);
    const migrations = await migrationsOf(client);
    await client.end();
    const first = await openCatalogRestore(empty.url, migrations);
    await expect(openCatalogRestore(empty.url, migrations)).rejects.toThrow(
      'Another restore or migration of the database is in progress. Nothing was restored.',
    );
    await first.close();
    await (await openCatalogRestore(empty.url, migrations)).close();
    await expect(openCatalogRestore(url, migrations)).rejects.toThrow(
      /^The database is no longer empty: a server or another restore wrote to \w+\. Nothing was restored\./,
    );
    const busy = await connect(url);
    await busy.query('BEGIN');
    await busy.query('SELECT FROM dataset');
    await expect(openCatalogRestore(url, migrations)).rejects.toThrow('Another program uses the database.');
    await busy.end();
    expect(await query(url, 'SELECT count(*)::int AS n FROM dataset')).toEqual([{ n: 1 }]);
  } finally {
    await world.end();
    await empty.end();
  }
});
