import { openDatabases } from '../embedded/databases.ts';
import { migrate } from '../migrate/migrate.ts';
import type { Command } from './command.ts';

/** `catalog migrate`: applies missing migrations and prints their names. */
export const command: Command = async (_args, { settings, log }) => {
  const databases = await openDatabases(settings, log);
  try {
    const applied = await migrate(databases.settings['catalog.database_url']);
    console.log(applied.length ? `Applied: ${applied.join(', ')}` : 'The database is up to date.');
  } finally {
    await databases.close();
  }
};
