/** Reads another catalog through its Action API. */
import { isObject } from '../../kernel/json.ts';
import type { Dictionary } from '../../records/gateway.ts';
import { isReasonable, type Reader, type SourceItem } from '../reader.ts';
import type { Marks } from '../run/marks.ts';
import { SourceError, type Web } from '../web.ts';
import { type Ask, createAsk, goneAsNull } from './ask.ts';
import { changedDatasets } from './changed.ts';
import { createTableReader } from './table.ts';

/** Organizations or groups per page. Older servers return at most 25 full ones, regardless of the limit. */
const GROUPS = 100;
/** Maximum pages of them. When a server ignores paging, the second page contains nothing new, and reading stops. */
const MAX_GROUP_PAGES = 10_000;

/** Maximum characters of all organizations or groups, because they are all read before the first is returned. */
const MAX_GROUPS = 64 * 2 ** 20;

/** `anonymousWeb`: anonymous client of the same source; null when there is no key. */
export function createCkanReader(web: Web, base: string, marks: Marks, anonymousWeb: Web | null): Reader {
  const ask = createAsk(web, base);
  /** Whether a walk over all datasets was complete. Their names then carry the mark `walked`. */
  let isWalked = false;
  return {
    vocabularies: () => vocabularies(ask),
    tables: createTableReader(ask, anonymousWeb && createAsk(anonymousWeb, base)),
    async *groups() {
      yield* groupsOf(ask, 'organization');
      yield* groupsOf(ask, 'group');
    },
    async *datasets(since) {
      let isWhole = false;
      for await (const { records, isLast, ...page } of changedDatasets(ask, since)) {
        const { items, faults } = sorted(records, base);
        const fresh = await marks.set('state', items.map(stateOf));
        if (since === null)
          await marks.set(
            'walked',
            items.map(({ name }) => name),
          );
        isWhole = isLast;
        yield { ...page, items: items.filter((item) => fresh.delete(stateOf(item))), faults };
      }
      isWalked = since === null && isWhole;
    },
    async list() {
      const names = await ask('package_list', {}).catch(goneAsNull);
      if (names === null) {
        if (isWalked) await marks.rename('walked', 'listed');
        return isWalked;
      }
      if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
        throw new SourceError('package_list returned no list of names');
      await marks.set('listed', names.filter(isReasonable));
      return true;
    },
    async show(idOrName) {
      const record = await ask('package_show', { id: idOrName }).catch(goneAsNull);
      if (record === null) return null;
      const [item] = sorted([record], base).items;
      return item && item.record.state === 'active' ? item : null;
    },
  };
}

async function vocabularies(ask: Ask) {
  const list = (await ask('vocabulary_list', {}).catch(goneAsNull)) ?? [];
  return (Array.isArray(list) ? list : [])
    .filter(isObject)
    .flatMap(({ id, name, tags }) =>
      typeof id === 'string' && typeof name === 'string'
        ? [{ id, name, tags: (Array.isArray(tags) ? tags : []).filter(isObject).map((tag) => String(tag.name)) }]
        : [],
    );
}

/** All of them, parents first, because children name their parents. */
async function* groupsOf(ask: Ask, kind: 'organization' | 'group'): AsyncGenerator<SourceItem> {
  const found = new Map<string, SourceItem>();
  let size = 0;
  for (let page = 0; page < MAX_GROUP_PAGES; page += 1) {
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
      if (!item || found.has(item.id)) continue;
      found.set(item.id, item);
      size += JSON.stringify(record).length;
      if (size > MAX_GROUPS) throw new SourceError(`${kind}_list returned more than ${MAX_GROUPS / 2 ** 20} MiB`);
    }
    if (found.size === before) break;
  }
  const byName = new Map([...found.values()].map((item) => [item.name, item]));
  yield* parentsFirst([...found.values()].map((item) => withParentIds(item, byName)));
}

const parentsOf = ({ record }: SourceItem): readonly unknown[] => (Array.isArray(record.groups) ? record.groups : []);

/** Adds missing parent ids. Sources may name parents without ids, and a parent may have another name here. */
function withParentIds(item: SourceItem, byName: ReadonlyMap<string, SourceItem>): SourceItem {
  if (!Array.isArray(item.record.groups)) return item;
  const groups = parentsOf(item).map((above) => {
    const parent = isObject(above) && !above.id ? byName.get(String(above.name)) : undefined;
    return parent ? { ...(above as Dictionary), id: parent.id } : above;
  });
  return { ...item, record: { ...item.record, groups } };
}

/** Yields parents before children, except in cycles. Iterative, because a source may nest to any depth. */
function* parentsFirst(items: readonly SourceItem[]): Generator<SourceItem> {
  const byId = new Map(items.map((item) => [item.id, item]));
  const begun = new Set<SourceItem>();
  for (const first of items) {
    const path = begun.has(first) ? [] : [{ item: first, left: parentsOf(first).values() }];
    begun.add(first);
    while (path.length > 0) {
      const { item, left } = path.at(-1)!;
      const next = left.next();
      if (next.done) {
        yield item;
        path.pop();
        continue;
      }
      const parent = isObject(next.value) ? byId.get(String(next.value.id)) : undefined;
      if (!parent || begun.has(parent)) continue;
      begun.add(parent);
      path.push({ item: parent, left: parentsOf(parent).values() });
    }
  }
}

function itemOf(kind: SourceItem['kind'], record: unknown): SourceItem | null {
  if (!isObject(record) || typeof record.id !== 'string' || typeof record.name !== 'string') return null;
  return !isReasonable(record.id) || !isReasonable(record.name)
    ? null
    : { kind, id: record.id, name: record.name, record };
}

/** Identifies the version of a dataset, which may change during the read. */
const stateOf = ({ id, record: { metadata_modified: said } }: SourceItem): string =>
  `${typeof said === 'string' && isReasonable(said) ? said.slice(0, 50) : ''} ${id}`;

/** Separates datasets from malformed records. */
function sorted(records: readonly unknown[], base: string) {
  const items: SourceItem[] = [];
  const faults: { id: string; message: string }[] = [];
  for (const record of records) {
    const item = itemOf('dataset', record);
    if (item) items.push({ ...item, record: withWholeAddresses(item.record, base) });
    else faults.push({ id: '(unknown)', message: 'The source returned a dataset without a usable id and name.' });
  }
  return { items, faults };
}

/** Completes file URLs: old servers return relative ones, and new ones may omit the URL of an upload that can still be downloaded. */
function withWholeAddresses(record: Dictionary, base: string): Dictionary {
  if (!Array.isArray(record.resources)) return record;
  const resources = record.resources.map((resource: unknown) => {
    if (!isObject(resource)) return resource;
    const { url, url_type, id } = resource;
    if (typeof url === 'string' && url.startsWith('/') && URL.canParse(url, base))
      return { ...resource, url: new URL(url, base).href };
    const hasNoAddress = url === undefined || url === null || url === '';
    if (!hasNoAddress || url_type !== 'upload' || typeof id !== 'string') return resource;
    const [dataset, file] = [String(record.id), id].map(encodeURIComponent);
    return { ...resource, url: `${base}/dataset/${dataset}/resource/${file}/download` };
  });
  return { ...record, resources };
}
