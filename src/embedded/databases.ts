/** Selects the databases of this installation: configured URLs, or the embedded server. */
import type { Logger } from '../infra/log/log.ts';
import type { Settings } from '../kernel/settings.ts';
import { type EmbeddedOptions, startEmbedded } from './embedded.ts';

/** Settings with the URLs of both databases. */
export interface Databases {
  /** `catalog.database_url` is always set; `catalog.datastore.*_url` are null only without a DataStore. */
  readonly settings: Settings & { readonly 'catalog.database_url': string };
  /** Releases the embedded server, if it is in use. */
  close(): Promise<void>;
}

/**
 * Starts the embedded server when the settings need it. With `catalog.database_url` and no DataStore URL there is no DataStore: a second
 * server beside the user's own database would be a surprise. `options.programs` is a folder of PostgreSQL programs for data of an older version.
 * @throws EmbeddedError
 */
export async function openDatabases(
  settings: Settings,
  log?: Logger,
  options: Pick<EmbeddedOptions, 'maxConnections' | 'programs'> = {},
): Promise<Databases> {
  const url = settings['catalog.database_url'];
  if (url !== null) return { settings: { ...settings, 'catalog.database_url': url }, close: async () => {} };
  const embedded = await startEmbedded({ dataDir: settings['catalog.data_dir'], ...(log && { log }), ...options });
  const ownDatastore = settings['catalog.datastore.write_url'] === null && {
    'catalog.datastore.write_url': embedded.datastoreWriteUrl,
    'catalog.datastore.read_url': embedded.datastoreReadUrl,
  };
  return {
    settings: { ...settings, 'catalog.database_url': embedded.catalogUrl, ...ownDatastore },
    close: async () => {
      await embedded.stop();
    },
  };
}
