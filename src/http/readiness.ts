/** Readiness checks of every component of this site. */
import type { Blobs } from '../infra/files/blobs.ts';
import { createProbe } from '../infra/postgres/probe.ts';
import type { Settings } from '../kernel/settings.ts';
import type { Check } from './health.ts';

export interface ChecksOptions {
  readonly settings: Settings;
  readonly databaseUrl: string;
  /** The latest migration that this program needs. */
  readonly migration: string;
  readonly blobs: Blobs;
  /** Whether the site has a DataStore. */
  readonly hasDatastore: boolean;
  /** Pings the search engine; null if PostgreSQL is the search engine. */
  readonly search: Check | null;
}

const MIGRATED = `SELECT EXISTS (SELECT FROM _prisma_migrations
  WHERE migration_name = $1 AND finished_at IS NOT NULL AND rolled_back_at IS NULL) AS done`;

export function createChecks({ settings, databaseUrl, migration, blobs, hasDatastore, search }: ChecksOptions): {
  readonly checks: Readonly<Record<string, Check>>;
  close(): Promise<void>;
} {
  const catalog = createProbe(databaseUrl);
  const urls = [settings['catalog.datastore.write_url'], settings['catalog.datastore.read_url']];
  const datastore = hasDatastore ? urls.filter((url) => url !== null).map((url) => createProbe(url)) : [];
  return {
    checks: {
      database: (signal) => catalog.query('SELECT 1', [], signal),
      migrations: async (signal) => {
        const [row] = await catalog.query<{ done: boolean }>(MIGRATED, [migration], signal);
        if (!row?.done) throw new Error(`migration ${migration} is not applied`);
      },
      ...(datastore.length > 0 && {
        datastore: (signal: AbortSignal) => Promise.all(datastore.map((probe) => probe.query('SELECT 1', [], signal))),
      }),
      ...(search && { search }),
      files: () => blobs.check(),
    },
    close: async () => {
      await Promise.all([catalog, ...datastore].map((probe) => probe.close()));
    },
  };
}
