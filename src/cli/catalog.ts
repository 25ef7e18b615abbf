/** Opens a whole catalog for one process: databases, migrated schema, app. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isAnyUser } from '../accounts/user/user.store.ts';
import { type App, createApp } from '../app.ts';
import { openDatabases } from '../embedded/databases.ts';
import { findSecret, siteSecret } from '../infra/crypto/secret-file.ts';
import { TIMEOUTS, timeoutsOf } from '../infra/postgres/client.ts';
import { type Database, openDatabase } from '../infra/postgres/db.ts';
import { type Actor, anonymous } from '../kernel/call.ts';
import type { Settings } from '../kernel/settings.ts';
import { migrate } from '../migrate/migrate.ts';
import type { RecordRunner } from '../records/gateway.ts';
import { indexWhatIsMissing } from '../search/index/index.service.ts';
import type { CommandContext } from './command.ts';

/** An open catalog for commands. */
export interface Catalog {
  readonly app: App;
  readonly database: Database;
  /** With the URLs of both databases. */
  readonly settings: Settings;
  /** Finishes running work and releases everything, the embedded database last. */
  close(): Promise<void>;
}

/** Commands act as a sysadmin without a user account. */
export const operator: Actor = { ...anonymous('command line'), sysadmin: true };

/** Reads and writes records with the operator's permissions. */
export const operatorRunner = ({ run, callAs }: App): RecordRunner => ({
  run,
  call: () => callAs(operator),
});

/** Called with the text of every statement sent to the catalog's database. */
export type OnStatement = (text: string) => void;

/** Options for opening a catalog. */
export interface Opening {
  readonly onStatement?: OnStatement;
  /** Whether statements serve requests and have the configured timeout. Statements of commands have none. */
  readonly isServer?: boolean;
  /** Opens the catalog as it is: without migrating it, and without completing the search index. */
  readonly asItIs?: boolean;
}

/** Opens the catalog, by default after migrating its schema. */
export async function openCatalog(
  { settings: given, log }: CommandContext,
  { onStatement, isServer = false, asItIs = false }: Opening = {},
): Promise<Catalog> {
  const databases = await openDatabases(given, log);
  try {
    const { settings } = databases;
    const applied = asItIs ? [] : await migrate(settings['catalog.database_url']);
    if (applied.length > 0) log.info({ migrations: applied }, 'database schema migrated');
    const logged: OnStatement | undefined = settings['catalog.log_sql'] ? (sql) => log.info({ sql }) : undefined;
    const observer = onStatement ?? logged;
    const database = openDatabase({
      url: settings['catalog.database_url'],
      max: settings['catalog.database_pool'],
      timeouts: { ...timeoutsOf(settings), ...(!isServer && { statement: TIMEOUTS.statement }) },
      ...(observer && { onStatement: observer }),
    });
    if (!asItIs && !hasSecret(settings) && (await isAnyUser(database.db)))
      log.error(
        { folder: settings['catalog.data_dir'] },
        'the catalog has users, but its data folder has no secret: a new secret is generated, so their API keys, tokens and sessions fail. Restore the old secret, if you have it',
      );
    const app = await createApp({
      settings,
      database,
      secret: secretFor(settings, asItIs),
      log,
      usesReplicas: isServer,
    });
    const indexed = asItIs ? 0 : await indexWhatIsMissing(app.callAs(operator));
    if (indexed > 0) log.info({ datasets: indexed }, 'datasets added to the search index');
    return {
      app,
      database,
      settings,
      close: async () => {
        await app.close();
        await database.close();
        await databases.close();
      },
    };
  } catch (thrown) {
    await databases.close();
    throw thrown;
  }
}

const hasSecret = (settings: Settings): boolean => findSecret(settings) !== null;

/** A catalog that is opened as it is gets no secret file. */
const secretFor = (settings: Settings, asItIs: boolean): Buffer =>
  asItIs && !hasSecret(settings) ? randomBytes(32) : siteSecret(settings);

/**
 * Opens the catalog for one piece of work and closes it again. Warns when it was newly created, because the user may have meant another
 * one.
 */
export async function withCatalog<T>(
  context: CommandContext,
  work: (catalog: Catalog) => Promise<T>,
  onStatement?: OnStatement,
): Promise<T> {
  const { 'catalog.database_url': url, 'catalog.data_dir': folder } = context.settings;
  const isNew = url === null && !existsSync(join(folder, 'postgres'));
  const catalog = await openCatalog(context, { ...(onStatement && { onStatement }) });
  if (isNew)
    console.error(
      `Created a new catalog in ${folder}. To use another catalog, set CATALOG_HOME, CATALOG__DATA_DIR or DATABASE_URL.`,
    );
  try {
    return await work(catalog);
  } finally {
    await catalog.close();
  }
}
