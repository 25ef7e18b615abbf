/** Converts the Search interface's parameters to catalog searches. Checks forms only; the catalog checks values. */

import type { DatasetSearchInput, ResourceSearchInput } from '../../src/generated/operations.ts';
import { quoted } from '../../src/kernel/text.ts';
import { asFlag, asText, jsonIn, type Raw } from '../../src/records/form/readers.ts';
import { UnreadableBody } from '../shared/bodies.ts';
import type { LegacyVersion } from '../shared/legacy/dataset.ts';
import { one } from './params.ts';

const LIMIT = 20;
/** `rank`. By the contract, ties are sorted by ascending modification time. */
const BEST = 'score desc, metadata_modified asc';
const badOption = (why: string) => new UnreadableBody(`Bad search option: ${why}`);

/** Parameters of a search: those of the query or the posted object, and those in `qjson`. @throws UnreadableBody */
export function searchParams(query: Raw, body: Raw): Raw {
  const { qjson, ...given } = { ...firsts(query), ...body };
  if (qjson === undefined) return given;
  let read: unknown;
  try {
    read = typeof qjson === 'string' ? jsonIn(qjson) : qjson;
  } catch (failure) {
    throw new UnreadableBody(`Could not read parameters: Malformed qjson value: ${(failure as Error).message}`);
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read))
    throw new UnreadableBody('Could not read parameters: Request params must be in form of a json encoded dictionary.');
  return { ...given, ...(read as Raw) };
}

/** By the contract each query parameter is one text, so the first of a repeated one counts. */
const firsts = (query: Raw): Raw => Object.fromEntries(Object.keys(query).map((name) => [name, one(query, name)]));

/** First of these options that was sent, as a whole number. @throws UnreadableBody */
function number(params: Raw, names: readonly string[], otherwise: number): number {
  const name = names.find((name) => one(params, name) !== '');
  if (name === undefined) return otherwise;
  const text = one(params, name);
  if (!/^\s*\d{1,9}\s*$/.test(text)) throw badOption(`Value for search option '${name}' must be an integer`);
  return Number(text);
}

/** Options of versions 1 and 2; any other key is a search field. */
const OPTIONS: ReadonlySet<string> = new Set([
  'q',
  'qjson',
  'order_by',
  'offset',
  'limit',
  'all_fields',
  'filter_by_openness',
  'filter_by_downloadable',
  'filter_by_downloadbable', // the contract's spelling
  'callback',
]);

/** Options of the search engine: the only ones in version 3, additional ones in the others. */
const ENGINE: ReadonlySet<string> = new Set(['q', 'qjson', 'callback', 'fl', 'fq', 'rows', 'sort', 'start', 'facet']);

const isOn = (params: Raw, ...names: readonly string[]): boolean => names.some((name) => asFlag(one(params, name)));

/** The dataset search. @throws UnreadableBody for unreadable options */
export function datasetSearch(params: Raw, version: LegacyVersion): DatasetSearchInput {
  const fields = Object.entries(params).filter(([key]) => !OPTIONS.has(key) && !ENGINE.has(key));
  const foreign = Object.keys(params).filter((key) => !ENGINE.has(key));
  if (version === 3 && foreign.length > 0) throw badOption(`Invalid search parameters: ${foreign.join(', ')}`);
  const words = one(params, 'q').replaceAll('+', ' ');
  const terms = fields.flatMap(([key, value]) => termsOf(key, value));
  const order = one(params, 'order_by');
  const sort = one(params, 'sort') || (order !== '' && order !== 'rank' ? `${order} asc` : BEST);
  const filters = [
    ...(one(params, 'fq') === '' ? [] : [one(params, 'fq')]),
    ...(isOn(params, 'filter_by_openness') ? ['isopen:true'] : []),
    ...(isOn(params, 'filter_by_downloadable', 'filter_by_downloadbable') ? ['num_resources:[1 TO *]'] : []),
  ];
  return {
    query: [words, ...terms].filter((part) => part.trim() !== '').join(' '),
    ...(filters.length > 0 && { filters }),
    sort,
    rows: number(params, ['limit', 'rows'], version === 3 ? 10 : LIMIT),
    start: number(params, ['offset', 'start'], 0),
  };
}

/** One `field:text` per text. A JSON list must match as a whole. */
function termsOf(key: string, value: unknown): string[] {
  if (!/^[\w-]+$/.test(key)) throw badOption(`Search option '${key}' is not supported`);
  const texts = Array.isArray(value) ? value.map(asText) : [asText(value ?? '')];
  return texts
    .map((text) => text.replaceAll('+', ' ').trim())
    .filter((text) => text !== '')
    .map((text) => `${key}:${/[\s"():[\]{}\\/]/.test(text) ? quoted(text) : text}`);
}

/** Options of the resource search. By the contract, `q` is ignored. */
const NO_TERMS: ReadonlySet<string> = new Set([...OPTIONS, 'fl', 'ref', 'callback']);

/** The resource search. @throws UnreadableBody for unreadable options */
export function resourceSearch(params: Raw): ResourceSearchInput {
  const order = one(params, 'order_by');
  return {
    terms: Object.entries(params)
      .filter(([key]) => !NO_TERMS.has(key))
      .flatMap(([key, value]) =>
        (Array.isArray(value) ? value : [value]).map((text) => `${key}:${asText(text ?? '')}`),
      ),
    ...(order !== '' && order !== 'rank' && { orderBy: order }),
    limit: number(params, ['limit'], LIMIT),
    offset: number(params, ['offset'], 0),
  };
}

/** Whether full records are requested. */
export const isFull = (params: Raw): boolean => isOn(params, 'all_fields');

/** An instant, a day, a month or a year; UTC by default. */
const INSTANT = /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?)?)?$/;

/** Start of the revisions to list; one of the two parameters is required. @throws UnreadableBody */
export function revisionSearch(params: Raw): { since: string | null; sinceId: string | null } {
  const has = (name: string): boolean => Object.hasOwn(params, name);
  if (!has('since_time') && !has('since_id'))
    throw new UnreadableBody("Missing search term ('since_id=UUID' or  'since_time=TIMESTAMP')");
  return {
    since: has('since_time') ? instantOf(one(params, 'since_time')) : null,
    sinceId: has('since_id') ? one(params, 'since_id') : null,
  };
}

function instantOf(text: string): string {
  const [, year, month = '01', day = '01', clock = '00:00', seconds = ':00', zone = 'Z'] =
    INSTANT.exec(text.trim()) ?? [];
  const time = year === undefined ? Number.NaN : Date.parse(`${year}-${month}-${day}T${clock}${seconds}${zone}`);
  if (Number.isNaN(time)) throw new UnreadableBody(`ValueError: since_time is no date: ${text.slice(0, 100)}`);
  return new Date(time).toISOString();
}
