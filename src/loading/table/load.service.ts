/** Loads a resource's file into its table. Writes the DataStore first, atomically, and the catalog last. */

import { isStoredFile } from '../../catalog/document/project.ts';
import { taskUpdate } from '../../catalog/task/task.service.ts';
import { allowWriting, ownerOf } from '../../datastore/access.service.ts';
import { datastoreOf } from '../../datastore/connected.ts';
import { addWords, isWordless, replaceTable } from '../../datastore/rows/load.store.ts';
import { refusal } from '../../datastore/run.store.ts';
import { tableWritten } from '../../datastore/tables/change.service.ts';
import { type Field, typeOf } from '../../datastore/tables/fields.rules.ts';
import { discardTable } from '../../datastore/tables/owner.sql.ts';
import { listColumns, listKnownTypes } from '../../datastore/tables/tables.sql.ts';
import type { JobRecord } from '../../jobs/job.store.ts';
import type { Control } from '../../jobs/kinds.ts';
import { enqueue } from '../../jobs/queue.service.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import { CatalogError, invalidField, notFound } from '../../kernel/errors.ts';
import { formatOf, whyNot } from '../ask/ask.rules.ts';
import { loadRequest } from '../ask/ask.service.ts';
import type { Source } from '../read/text-file.ts';
import { findLoading, type LoadingRecord, putLoad } from './load.store.ts';
import { pour } from './pour.ts';
import { readOutside } from './reading.ts';
import { fetchedSource, hashOf, storedSource } from './source.ts';

/** Kind of jobs that index the words of a loaded table. */
export const WORDS = 'words';

/** Queues a load, also when the file is unchanged. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, UNAVAILABLE */
export async function resourceLoad(call: Call, { resourceId }: { resourceId: string }): Promise<JobRecord> {
  datastoreOf(call);
  const owner = await ownerOf(call, resourceId);
  if (!owner) throw notFound();
  allowWriting(call, owner);
  const resource = await findLoading(call.db, resourceId);
  if (!resource) throw notFound();
  const reason = whyNot(resource, call.settings);
  if (reason !== null) throw invalidField('resourceId', reason);
  return enqueue(call, loadRequest(resource, true));
}

/** Runs a job of kind LOAD. @throws CatalogError as JobKind.run describes */
export async function loadTable(call: Call, job: JobRecord, control: Control): Promise<void> {
  const resource = await findLoading(call.db, job.subjectId);
  if (!resource) return discardTable(call.sql, job.subjectId); // an interrupted attempt may have left its table
  if (resource.state !== 'active' || whyNot(resource, call.settings) !== null) return;
  datastoreOf(call);
  await say(call, job, 'pending', null);
  const again = job.payload.again === true;
  const load = isStoredFile(resource) ? loadStored : loadLinked;
  await load(call, resource, { ...control, again }, (loaded) => loadEnded(call, job, resource, loaded));
}

/** Commits the result of a load to the catalog. */
async function loadEnded(call: Call, job: JobRecord, resource: LoadingRecord, loaded: Done): Promise<void> {
  const { meter } = call.process;
  meter.add('catalog_loads_total', [loaded ? 'loaded' : 'unchanged']);
  meter.add('catalog_loaded_rows_total', [], loaded?.rows ?? 0);
  await inTransaction(call, async (call) => {
    if (loaded) {
      const action = resource.datastoreActive ? 'updated' : 'created';
      if (!(await tableWritten(call, resource.id, action, { records: loaded.rows }))) return;
      await putLoad(call.db, { ...loaded, resourceId: resource.id, loadedAt: call.request.now });
    }
    await say(call, job, 'complete', null);
    await enqueue(call, {
      kind: WORDS,
      subjectType: 'resource',
      subjectId: resource.id,
      datasetId: resource.datasetId,
      key: `${WORDS}:${resource.id}`,
    });
  });
}

/** Records on the resource why its job has failed permanently. */
export const loadFailed = (call: Call, job: JobRecord, error: string): Promise<void> => say(call, job, 'error', error);

/** Runs a job of kind WORDS. Rows are searchable before it, but each search then computes their words. */
export async function indexWords(call: Call, job: JobRecord, { signal }: Control): Promise<void> {
  const store = datastoreOf(call);
  await store.exclusively(job.subjectId, async () => {
    if (await isWordless(store, job.subjectId)) await addWords(store, job.subjectId, signal);
  });
}

/** Records the task status that clients of the DataPusher read. */
async function say(call: Call, job: JobRecord, state: string, error: string | null): Promise<void> {
  await taskUpdate(call, {
    entityId: job.subjectId,
    entityType: 'resource',
    taskType: 'datapusher',
    key: 'datapusher',
    value: JSON.stringify({ job_id: job.id }),
    state,
    error: JSON.stringify(error === null ? {} : { message: error }),
  });
}

/** Source of the loaded table; null when the file is unchanged since the last load. */
type Done = {
  source: string;
  hash: string;
  size: number;
  etag: string | null;
  modified: string | null;
  rows: number;
} | null;

type Loading = Control & { readonly again: boolean };
type Settle = (loaded: Done) => Promise<void>;

async function loadStored(call: Call, resource: LoadingRecord, control: Loading, settle: Settle): Promise<void> {
  if (!resource.file) throw new CatalogError('NOT_FOUND', 'The resource has no file');
  const { key } = resource.file;
  const size = Number(resource.file.size);
  const known = resource.datastoreActive && !control.again;
  const before = resource.tableLoad;
  if (known && before?.source === key) return settle(null);
  const source = storedSource(call, key, size);
  const early = before && Number(before.size) === size ? await hashOf(source, control.signal) : null;
  if (known && early !== null && early === before!.hash) return settle(null);
  const hash = early === null ? hashOf(source, control.signal) : Promise.resolve(early);
  hash.catch(() => {}); // awaited when all rows were read
  await readInto(call, resource, source, control, hash, async (rows) =>
    settle({ source: key, hash: await hash, size, etag: null, modified: null, rows }),
  );
}

async function loadLinked(call: Call, resource: LoadingRecord, control: Loading, settle: Settle): Promise<void> {
  const before = resource.tableLoad;
  const known = resource.datastoreActive && !control.again && before?.source === resource.url ? before : null;
  const fetched = await fetchedSource(call, resource.url, known, control.signal, control.progress);
  if (!fetched) return settle(null);
  try {
    const { hash, size, etag, modified } = fetched;
    if (hash === known?.hash) return await settle(null);
    await readInto(call, resource, fetched, control, Promise.resolve(), (rows) =>
      settle({ source: resource.url, hash, size, etag, modified, rows }),
    );
  } finally {
    await fetched.close();
  }
}

/** Reads a file into the resource's table, then waits for `ready`, commits, and calls `settle` with the number of rows. */
async function readInto(
  call: Call,
  resource: LoadingRecord,
  source: Source,
  { signal, progress }: Control,
  ready: Promise<unknown>,
  settle: (rows: number) => Promise<void>,
): Promise<void> {
  const store = datastoreOf(call);
  const before = resource.datastoreActive ? await listColumns(store.sql, resource.id) : [];
  const infos = new Map(before.map(({ id, info }) => [id, info]));
  const chosen = await chosenTypes(call, infos);
  const { settings } = call;
  const reading = await readOutside(counting(source, progress), {
    format: formatOf(resource)!,
    formats: settings['catalog.loading.formats'],
    limits: {
      fileBytes: settings['catalog.loading.max_size'],
      tableBytes: settings['catalog.loading.max_table_size'],
      expansion: settings['catalog.loading.max_expansion'],
    },
    chosen: [...chosen.keys()],
    memory: settings['catalog.loading.max_memory'],
    signal,
  });
  const refused = { column: null as string | null };
  try {
    await pour({
      reading,
      chosen,
      signal,
      write: ({ names, types, delimiter, rows, count }) => {
        const fields = names.map((id, index): Field => ({ id, type: types[index]!, info: infos.get(id) ?? null }));
        const loaded = { fields, delimiter, rows, count, signal, ready: () => ready, settle: () => settle(count()) };
        return replaceTable(store, resource.id, loaded).catch((thrown: unknown) => {
          refused.column = columnOf(thrown, names);
          throw refusal(thrown);
        });
      },
      refusedColumn: () => refused.column,
    });
  } finally {
    await reading.close();
  }
}

/** The column whose value PostgreSQL refused because of its type. */
function columnOf(thrown: unknown, names: readonly string[]): string | null {
  const { code = '', where = '' } = thrown as { code?: string; where?: string };
  if (!/^22(P02|P03|007|008|003|009|015)$/.test(code)) return null;
  return names.find((name) => where.includes(`, column ${name}: `)) ?? null;
}

/** Column types set in the data dictionary (`type_override`) that PostgreSQL knows. */
async function chosenTypes(
  call: Call,
  infos: ReadonlyMap<string, Record<string, unknown> | null>,
): Promise<Map<string, string>> {
  const requested = [...infos].flatMap(([id, info]): [string, string][] => {
    const type = typeof info?.type_override === 'string' ? typeOf(info.type_override) : null;
    return type === null ? [] : [[id, type]];
  });
  const known = await listKnownTypes(
    datastoreOf(call).sql,
    requested.map(([, type]) => type),
  );
  return new Map(requested.filter(([, type]) => known.has(type)));
}

/** The same source, reporting how much was read. */
const counting = (source: Source, progress: Control['progress']): Source => ({
  size: source.size,
  async open(range) {
    const bytes = await source.open(range);
    async function* counted() {
      let done = 0;
      for await (const chunk of bytes) {
        done += chunk.length;
        progress(done, source.size);
        yield chunk;
      }
    }
    return counted();
  },
});
