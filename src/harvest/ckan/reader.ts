/** Reads another catalog through the Action API. */
import type { Dictionary } from '../../transfer/perform.ts';
import { isDictionary } from '../../transfer/records.ts';
import type { Reader, SourceItem } from '../reader.ts';
import { SourceError, type Web } from '../web.ts';
import { type Ask, createAsk, isGone } from './ask.ts';
import { changedDatasets } from './changed.ts';

/** Organizations or groups at a time; older servers give no more than 25 whole ones, whatever is asked for. */
const GROUPS = 100;
/** Pages of them: where paging has no effect, the second one holds nothing new. */
const MOST_GROUP_PAGES = 10_000;

export function createCkanReader(web: Web, base: string): Reader {
  const ask = createAsk(web, base);
  /** Names met by a walk over all datasets, once it came to its end. */
  let walked: ReadonlySet<string> | null = null;
  return {
    vocabularies: () => vocabularies(ask),
    async *groups() {
      yield* groupsOf(ask, 'organization');
      yield* groupsOf(ask, 'group');
    },
    async *datasets(since) {
      walked = null;
      const met = new Set<string>();
      for await (const { records, ...page } of changedDatasets(ask, since)) {
        const { items, faults } = sorted(records, base);
        for (const { name } of items) met.add(name);
        yield { ...page, items, faults };
      }
      if (since === null) walked = met;
    },
    async names() {
      const names = await ask('package_list', {}).catch((thrown: unknown) => {
        if (isGone(thrown)) return null; // not offered to us
        throw thrown;
      });
      if (names === null) return walked;
      if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
        throw new SourceError('package_list gives no list of names');
      return new Set(names);
    },
    async show(idOrName) {
      const record = await ask('package_show', { id: idOrName }).catch((thrown: unknown) => {
        if (isGone(thrown)) return null;
        throw thrown;
      });
      if (record === null) return null;
      const [item] = sorted([record], base).items;
      return item && item.record.state === 'active' ? item : null;
    },
  };
}

async function vocabularies(ask: Ask) {
  const list = await ask('vocabulary_list', {}).catch((thrown: unknown) => {
    if (isGone(thrown)) return []; // not offered to us
    throw thrown;
  });
  return (Array.isArray(list) ? list : [])
    .filter(isDictionary)
    .flatMap(({ id, name, tags }) =>
      typeof id === 'string' && typeof name === 'string'
        ? [{ id, name, tags: (Array.isArray(tags) ? tags : []).filter(isDictionary).map((tag) => String(tag.name)) }]
        : [],
    );
}

/** All of them, those above others first: what stands below names them. */
async function* groupsOf(ask: Ask, kind: 'organization' | 'group'): AsyncGenerator<SourceItem> {
  const found = new Map<string, SourceItem>();
  for (let page = 0; page < MOST_GROUP_PAGES; page += 1) {
    const list = await ask(`${kind}_list`, {
      all_fields: true,
      include_extras: true,
      include_groups: true,
      limit: GROUPS,
      offset: page === 0 ? 0 : found.size,
    });
    const before = found.size;
    for (const record of Array.isArray(list) ? list : []) {
      const item = itemOf(kind, record);
      if (item && !found.has(item.id)) found.set(item.id, item);
    }
    if (found.size === before) break;
  }
  const byName = new Map([...found.values()].map((item) => [item.name, item]));
  const told = new Set<SourceItem>();
  for (const item of found.values()) yield* withAbove(item);

  function* withAbove(item: SourceItem): Generator<SourceItem> {
    if (told.has(item)) return;
    told.add(item);
    for (const above of Array.isArray(item.record.groups) ? item.record.groups : []) {
      const parent = isDictionary(above) ? byName.get(String(above.name)) : undefined;
      if (parent) yield* withAbove(parent);
    }
    yield item;
  }
}

function itemOf(kind: SourceItem['kind'], record: unknown): SourceItem | null {
  if (!isDictionary(record) || typeof record.id !== 'string' || typeof record.name !== 'string') return null;
  return record.id === '' ? null : { kind, id: record.id, name: record.name, record };
}

/** Datasets, and what is none. */
function sorted(records: readonly unknown[], base: string) {
  const items: SourceItem[] = [];
  const faults: { id: string; message: string }[] = [];
  for (const record of records) {
    const item = itemOf('dataset', record);
    if (item) items.push({ ...item, record: withWholeAddresses(item.record, base) });
    else faults.push({ id: '(unknown)', message: 'The source gave a dataset without id and name.' });
  }
  return { items, faults };
}

/** Old servers give files by paths of their own. */
function withWholeAddresses(record: Dictionary, base: string): Dictionary {
  if (!Array.isArray(record.resources)) return record;
  const resources = record.resources.map((resource: unknown) =>
    isDictionary(resource) && typeof resource.url === 'string' && resource.url.startsWith('/')
      ? { ...resource, url: new URL(resource.url, base).href }
      : resource,
  );
  return { ...record, resources };
}
