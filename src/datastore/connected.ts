import type { Datastore } from '../infra/postgres/datastore.ts';
import type { Call } from '../kernel/call.ts';
import { CatalogError } from '../kernel/errors.ts';

/** The DataStore. @throws CatalogError UNAVAILABLE when the site has none */
export function datastoreOf({ settings, stores: { datastore } }: Call): Datastore {
  if (datastore) return datastore;
  throw new CatalogError(
    'UNAVAILABLE',
    settings['catalog.plugins'].includes('datastore')
      ? 'The DataStore has no database: set catalog.datastore.write_url'
      : 'The DataStore is disabled: add `datastore` to catalog.plugins',
  );
}
