/** Reads tables of another catalog's DataStore. Omits metadata that older versions do not provide. */
import { isObject } from '../../kernel/json.ts';
import type { Dictionary } from '../../records/gateway.ts';
import { hasTable } from '../../records/record.ts';
import type { TableHead, TableReader } from '../reader.ts';
import { SourceError, TooLarge } from '../web.ts';
import { type Ask, goneAsNull } from './ask.ts';

/** Initial rows per page; fewer when rows are large. */
const MAX_ROWS = 2_000;
/** Maximum bytes of a page. */
const MAX_PAGE = 16 * 2 ** 20;
const MAX_ALIASES = 100;
/** Fields that a DataStore adds to every table. */
const OWN_FIELDS = new Set(['_id', '_full_text']);

/** `askAnonymously`: the same without an API key. */
export function createTableReader(ask: Ask, askAnonymously: Ask | null): TableReader {
  return {
    head: (recordId) => headOf(ask, recordId),
    async describe(recordId, head) {
      const info = await infoOf(ask, recordId);
      return {
        ...head,
        fields: head.fields.map((field) => ({ ...field, info: field.info ?? infoOfField(info, field.id) })),
        primaryKey: keyOf(info),
        aliases: aliasesOf(info) ?? (await listedAliases(ask, recordId)),
        isPublic: askAnonymously === null || (await headOf(askAnonymously, recordId)) !== null,
      };
    },
    rows: (recordId, head) => rowsOf(ask, recordId, head),
    async isClaimed(recordId) {
      const resource = await ask('resource_show', { id: recordId }).catch(goneAsNull);
      return isObject(resource) && hasTable(resource);
    },
  };
}

async function headOf(ask: Ask, recordId: string): Promise<TableHead | null> {
  const result = await ask('datastore_search', { resource_id: recordId, limit: 0 }).catch(goneAsNull);
  if (result === null) return null;
  if (!isObject(result) || !Array.isArray(result.fields) || typeof result.total !== 'number')
    throw new SourceError('datastore_search returned no fields and total');
  const fields = result.fields.filter(isObject).flatMap(({ id, type, info }) => {
    if (typeof id !== 'string' || OWN_FIELDS.has(id)) return [];
    return [{ id, type: typeof type === 'string' ? type : 'text', ...(isObject(info) && { info }) }];
  });
  return { fields, total: result.total };
}

/** The answer of `datastore_info`; null when the source lacks the action or denies it. */
async function infoOf(ask: Ask, recordId: string): Promise<Dictionary | null> {
  const result = await ask('datastore_info', { id: recordId }).catch((thrown: unknown) => {
    if (thrown instanceof SourceError) return null; // versions before 2.5 lack the action; when the source is down, reading the rows fails
    throw thrown;
  });
  return isObject(result) ? result : null;
}

const fieldsOf = (info: Dictionary | null): Dictionary[] =>
  Array.isArray(info?.fields) ? info.fields.filter(isObject) : [];

const infoOfField = (info: Dictionary | null, id: string): unknown =>
  fieldsOf(info).find((field) => field.id === id && isObject(field.info))?.info;

const textsOf = (list: unknown): string[] | null =>
  Array.isArray(list) ? list.filter((text): text is string => typeof text === 'string') : null;

const aliasesOf = (info: Dictionary | null): string[] | null =>
  isObject(info?.meta) ? (textsOf(info.meta.aliases)?.slice(0, MAX_ALIASES) ?? null) : null;

/** Key in this catalog's format, otherwise the columns of the first unique index, as CKAN 2.10 and later describe fields. */
function keyOf(info: Dictionary | null): string[] {
  const said = isObject(info?.meta) ? textsOf(info.meta.primary_key) : null;
  if (said) return said;
  const unique = fieldsOf(info).flatMap(({ id, schema }) =>
    typeof id === 'string' && !OWN_FIELDS.has(id) && isObject(schema) && schema.uniquekey === true
      ? [{ id, index: schema.index_name }]
      : [],
  );
  return unique.filter(({ index }) => index === unique[0]!.index).map(({ id }) => id);
}

/** Aliases from the listing that all versions have; none when the source denies it. */
async function listedAliases(ask: Ask, recordId: string): Promise<string[]> {
  const filters = JSON.stringify({ alias_of: recordId });
  const result = await ask('datastore_search', {
    resource_id: '_table_metadata',
    filters,
    limit: MAX_ALIASES,
  }).catch((thrown: unknown) => {
    if (thrown instanceof SourceError && thrown.status !== null) return null;
    throw thrown;
  });
  const records = isObject(result) && Array.isArray(result.records) ? result.records.filter(isObject) : [];
  return records.flatMap(({ name, alias_of }) => (alias_of === recordId && typeof name === 'string' ? [name] : []));
}

/** Rows by keyset pagination. Fails when the table changes during the read, because rows could be missing or repeated. */
async function* rowsOf(ask: Ask, recordId: string, head: TableHead): AsyncGenerator<readonly Dictionary[]> {
  const hasJson = head.fields.some(({ type }) => /^_?(json|jsonb|nested)\b/i.test(type));
  const names = new Set(head.fields.map(({ id }) => id));
  let last = Number.NEGATIVE_INFINITY;
  let limit = MAX_ROWS;
  for (let offset = 0; offset < head.total; ) {
    const params = { resource_id: recordId, sort: '_id', limit, offset };
    const page = await ask('datastore_search', params, {
      maxBytes: MAX_PAGE,
      ...(!hasJson && { parse: parseExactly }),
    }).catch((thrown: unknown) => {
      if (thrown instanceof TooLarge && limit > 1) return null;
      throw thrown;
    });
    if (page === null) {
      limit = Math.ceil(limit / 8);
      continue;
    }
    if (!isObject(page) || !Array.isArray(page.records)) throw new SourceError('datastore_search returned no records');
    const records = page.records.filter(isObject);
    const ids = records.map(({ _id }) => Number(_id));
    const isInOrder = ids.every((id, at) => Number.isNaN(id) || id > (at === 0 ? last : ids[at - 1]!));
    if (records.length === 0 || Number(page.total ?? head.total) !== head.total || !isInOrder)
      throw new SourceError('the table changed during the copy');
    last = ids.at(-1)!;
    offset += records.length;
    yield records.map((record) => Object.fromEntries(Object.entries(record).filter(([id]) => names.has(id))));
  }
}

/** An unfinished text matches to the end. Otherwise the rest would be read again for each quote in it. */
const TOKEN = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)|-?\d[\d.eE+-]*/g;
/** Digits that a JavaScript number always represents exactly. */
const SAFE_DIGITS = 15;

/** Parses JSON with long numbers as strings. A DataStore accepts both, and a JavaScript number would lose digits. */
export const parseExactly = (text: string): unknown =>
  JSON.parse(text.replace(TOKEN, (token) => (token[0] !== '"' && token.length > SAFE_DIGITS ? `"${token}"` : token)));
