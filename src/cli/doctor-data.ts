/** Checks of `catalog doctor` on data: derived data equals its source, and no work is stuck. */
import { documentsCheck } from '../catalog/dataset/read/documents.service.ts';
import { filesCheck } from '../catalog/file/check.service.ts';
import { tablesCheck } from '../datastore/tables/sweep.service.ts';
import { operations } from '../operations/operations.service.ts';
import { changesState } from '../operations/prune.service.ts';
import { searchCheck, searchStatus } from '../search/index/index.service.ts';
import { withFeed } from '../search/solr/follower.ts';
import { statisticsCheck } from '../statistics/check.service.ts';
import { type Catalog, operator } from './catalog.ts';
import { type Check, failed, ok, warning } from './doctor-finding.ts';

/** Number of datasets that are compared without `--full`. */
const SAMPLE = 200;

/** The checks; null only for their names. */
export function dataChecks(catalog: Catalog | null, full: boolean): Readonly<Record<string, Check>> {
  const of = (check: (catalog: Catalog, full: boolean) => ReturnType<Check>) => () => check(catalog!, full);
  return {
    documents: of(checkDocuments),
    'search index': of(checkSearch),
    'change log': of(checkLog),
    jobs: of(checkJobs),
    ...(full && { statistics: of(checkStatistics), 'stored files': of(checkStored), tables: of(checkTables) }),
  };
}

interface Batch {
  readonly checked: number;
  readonly faults: readonly { readonly id: string }[];
}

/** Compares batches up to the sample, or all. */
async function compare(batches: AsyncIterable<Batch>, full: boolean): Promise<{ checked: number; wrong: string[] }> {
  let checked = 0;
  const wrong: string[] = [];
  for await (const batch of batches) {
    checked += batch.checked;
    wrong.push(...batch.faults.map(({ id }) => id));
    if (!full && checked >= SAMPLE) break;
  }
  return { checked, wrong };
}

const some = (ids: readonly string[]): string => `${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', …' : ''}`;

async function checkDocuments({ app }: Catalog, full: boolean) {
  const { checked, wrong } = await compare(documentsCheck(app.callAs(operator)), full);
  return wrong.length > 0
    ? failed(`${wrong.length} of ${checked} differ from their rows: ${some(wrong)}`, 'Run: catalog documents rebuild')
    : ok(`${checked} compared with their rows`);
}

async function checkSearch({ app, database, settings }: Catalog, full: boolean) {
  const call = app.callAs(operator);
  const todo = 'Run: catalog search rebuild';
  const { datasets, indexed } = await searchStatus(call);
  if (indexed < datasets) return failed(`${datasets - indexed} of ${datasets} datasets are not indexed`, todo);
  const { checked, wrong } = await compare(searchCheck(call), full);
  if (wrong.length > 0) return failed(`${wrong.length} of ${checked} datasets differ: ${some(wrong)}`, todo);
  const solrUrls = settings['catalog.search.solr_url'];
  if (solrUrls.length === 0) return ok(`${checked} of ${datasets} datasets compared`);
  const { waiting } = await withFeed(database.url, solrUrls, (feed) => feed.status());
  if (waiting === null) return failed('Solr was not filled from this database', todo);
  return waiting > 1_000
    ? warning(`${waiting} writes are not in Solr yet`, 'Check that a server runs, and that Solr is not overloaded.')
    : ok(`${checked} of ${datasets} datasets compared, ${waiting} writes not in Solr yet`);
}

async function checkLog({ app }: Catalog) {
  const { first, last, changes } = await changesState(app.callAs(operator));
  if (changes > 0 && last - first + 1 !== changes)
    return failed(
      `${last - first + 1 - changes} positions are missing between ${first} and ${last}`,
      'Readers get GONE there. Prune the log beyond the gap: catalog changes prune',
    );
  return ok(changes === 0 ? 'empty' : `${changes} changes, positions ${first} to ${last}`);
}

async function checkJobs({ app }: Catalog) {
  const counts = await operations(app.callAs(operator)).jobs();
  const failures = counts.filter(({ state }) => state.toLowerCase() === 'failed');
  const text = failures.map(({ kind, count }) => `${count} ${kind}`).join(', ');
  return failures.length > 0
    ? warning(`failed: ${text}`, 'Reasons: catalog jobs list --state failed. To retry: catalog jobs retry --failed')
    : ok('none failed');
}

async function checkStatistics({ app }: Catalog) {
  const { counts, faults } = await statisticsCheck(app.callAs(operator));
  return faults.length > 0
    ? failed(`${faults.length} counts differ from the rows`, 'Run: catalog statistics rebuild')
    : ok(`${counts} counts match the rows`);
}

async function checkStored({ app }: Catalog) {
  const { missing, orphans, named } = await filesCheck(app.callAs(operator));
  if (missing.length > 0)
    return failed(`${missing.length} of ${named} are missing`, 'Restore them from a backup. List: catalog files check');
  return orphans.length > 0
    ? warning(`${orphans.length} are unreferenced`, 'To delete them, run: catalog files sweep')
    : ok(`${named} are present`);
}

async function checkTables({ app, settings }: Catalog) {
  if (settings['catalog.datastore.write_url'] === null) return ok('no DataStore');
  const { missing, orphans, elsewhere, named } = await tablesCheck(app.callAs(operator));
  if (missing.length + elsewhere.length > 0)
    return failed(`${missing.length + elsewhere.length} of ${named} are missing`, 'List: catalog datastore check');
  return orphans.length > 0
    ? warning(`${orphans.length} have no resource`, 'To drop them, run: catalog datastore sweep')
    : ok(`${named} are present`);
}
