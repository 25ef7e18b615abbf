/** Writes one SQL statement that finds, counts and sorts for a plan. */
import type { Statement } from '../../infra/postgres/db.ts';
import type { FacetWish, Search, Wish } from '../engine.ts';
import type { Period } from '../query/dates.ts';
import type { ExactField } from '../query/fields.ts';
import { GENERATION, ROW } from './facets.sql.ts';
import { afterText, inReadingOrder, type Key, keysOf, orderText, outText } from './order.ts';
import { scopeText } from './scope.ts';
import { named, Values } from './sql.ts';
import { conditionText, scoreText } from './where.ts';
import { columnText, VIEWS, type Writing } from './writing.ts';

export type Expanded = Writing['expanded'];

/** Facets counted in the process, by value numbers. */
export const isCoded = (field: ExactField): field is Extract<ExactField, { kind: 'value' | 'vocabulary' }> =>
  field.kind === 'value' || field.kind === 'vocabulary';

/** With `since`, rows written by that transaction or later include their values; null when no values are counted. */
export function write(
  { plan, scope, stem, siteId, timeout }: Search,
  { page, count, facets }: Wish,
  since: string | null,
  expanded: Expanded,
): Statement & { readonly values: unknown[] } {
  const values = new Values();
  const writing: Writing = { values, stem, siteId, joinsDataset: false, expanded, words: new Map() };
  const condition = conditionText(plan.condition, writing) ?? 'false';
  const where = `${scopeText(scope, values)} AND ${condition}`;
  const keys = page
    ? inReadingOrder(
        keysOf(plan.sort, () => scoreText(plan, writing), writing),
        page,
      )
    : [];
  const names = keys.map((_key, index) => `k${index}`);
  // Computes the score once per hit. Other keys can be read from an index.
  const onlyPage = !count && facets.length === 0 && !keys.some(({ type }) => type === 'float8');
  const counted = facets
    .map((facet, index) => ({ facet, name: `f${index}` }))
    .filter(({ facet }) => !isCoded(facet.field));
  const columns = [
    's.dataset_id',
    ...keys.map(({ text }, index) => `${text} AS k${index}`),
    ...(since === null ? [] : ['s.number', `s.written >= ${values.bind(since, 'xid8')} AS is_fresh`, 's.facets']),
    ...counted.flatMap(({ facet, name }) =>
      facet.field.kind === 'column' ? [`${columnText(facet.field.of, writing)} AS ${name}`] : [],
    ),
  ];
  const from = `dataset_search s${writing.joinsDataset ? ' JOIN dataset d ON d.id = s.dataset_id' : ''}${writing.joinsViews ? ` ${VIEWS}` : ''}`;
  const total = !count && since === null ? null : totalText(since !== null);
  const outputs = [
    page && page.limit > 0
      ? `(${pageText(onlyPage ? { from, where, columns } : null, keys, names, page, writing)}) AS page`
      : 'NULL AS page',
    ...(total === null
      ? ['NULL AS count', 'NULL AS generation', 'NULL AS numbers', 'NULL AS fresh']
      : ['t.count', since === null ? 'NULL AS generation' : `${GENERATION} AS generation`, 't.numbers', 't.fresh']),
    counted.length === 0
      ? 'NULL AS counted'
      : `json_build_object(${counted.map(({ facet, name }) => `'${name.slice(1)}', (${facetText(facet, name, siteId, writing)})`).join(', ')}) AS counted`,
  ];
  // A part of its own can be read from an index without the rows.
  const isOnce = !page && total === null && counted.length === 1;
  const hit = onlyPage
    ? ''
    : `WITH hit AS ${isOnce ? 'NOT ' : ''}MATERIALIZED (SELECT ${columns.join(', ')} FROM ${from} WHERE ${where})\n`;
  const totals = total === null ? '' : `\nFROM (${total}) t`;
  const text = `${hit}SELECT ${outputs.join(',\n')}${totals}`;
  return { ...named(text), text, timeout, values: values.list };
}

/** All rows written by this transaction or later, whether each matches, and its score. A search on cached lists does not know them. */
export function freshStatement(
  { plan, scope, stem, siteId, timeout }: Search,
  since: string,
): Statement & { readonly values: unknown[] } {
  const values = new Values();
  const writing: Writing = { values, stem, siteId, joinsDataset: false, expanded: new Map(), words: new Map() };
  const fits = `(${scopeText(scope, values)} AND ${conditionText(plan.condition, writing) ?? 'false'}) IS TRUE`;
  const score = plan.sort.some(({ by }) => by === 'score') ? scoreText(plan, writing) : null;
  const text = `SELECT ${GENERATION} AS generation, json_agg(json_build_array(${ROW}, ${fits}, ${score ?? 'NULL'}))::text AS rows
    FROM dataset_search s WHERE s.written >= ${values.bind(since, 'xid8')}`;
  return { ...named(text), text, timeout, values: values.list };
}

/** The total and, for facets, the hits' numbers and the values of those written since, in one scan. */
const totalText = (isCounted: boolean): string =>
  isCounted
    ? `SELECT count(*)::int AS count, string_agg(int4send(number), '') FILTER (WHERE NOT is_fresh) AS numbers,
      json_agg(array_to_json(facets)) FILTER (WHERE is_fresh) AS fresh FROM hit`
    : 'SELECT count(*)::int AS count, NULL AS numbers, NULL AS fresh FROM hit';

interface Source {
  readonly from: string;
  readonly where: string;
  readonly columns: readonly string[];
}

/** The page as a JSON list. Selects directly from the table when only the page is requested, so that an index can provide the order. */
function pageText(
  source: Source | null,
  keys: readonly Key[],
  names: readonly string[],
  page: NonNullable<Wish['page']>,
  writing: Writing,
): string {
  const own = source ? keys.map(({ text }) => text) : names;
  const after = page.after ? afterText(own, keys, page, writing) : 'true';
  const from = source
    ? `SELECT ${source.columns.join(', ')} FROM ${source.from} WHERE ${source.where} AND ${after}`
    : `SELECT * FROM hit WHERE ${after}`;
  const limit = `LIMIT ${writing.values.bind(page.limit, 'int')} OFFSET ${writing.values.bind(page.offset, 'bigint')}`;
  const out = names.map((name, index) => outText(name, keys[index]!));
  return `SELECT json_agg(json_build_object('id', p.dataset_id, 'keys', json_build_array(${out.join(', ')})) ORDER BY ${orderText(names, keys)})
    FROM (${from} ORDER BY ${orderText(own, keys)} ${limit}) p`;
}

/** The requested values of a field without value numbers, counted over the hits, and the number of all. */
function facetText(wish: FacetWish, name: string, siteId: string, { values }: Writing): string {
  const { limit, least, order, isReversed, contains, after } = wish;
  const [up, down] = isReversed ? [' DESC', ''] : ['', ' DESC'];
  const isText = contains === undefined ? 'true' : `strpos(lower(v::text), ${values.bind(contains.toLowerCase())}) > 0`;
  const counted = wish.period
    ? periodsText(wish.period, name)
    : `SELECT v::text AS v, count(*)::int AS n FROM (${valuesText(wish, name, siteId, values)}) w
    WHERE v IS NOT NULL AND ${isText} GROUP BY 1 HAVING count(*) >= ${values.bind(Math.max(1, least), 'int')}`;
  const value = 'v COLLATE "C"';
  const sort = order === 'value' ? `${value}${up}` : `n${down}, ${value}${up}`;
  const beyond = (last: { value: string; count: number }) => {
    const isNext = `${value} ${isReversed ? '<' : '>'} ${values.bind(last.value, 'text')}`;
    if (order === 'value') return isNext;
    const count = values.bind(last.count, 'bigint');
    return `(n ${isReversed ? '>' : '<'} ${count} OR (n = ${count} AND ${isNext}))`;
  };
  const page = `SELECT * FROM c WHERE ${after ? beyond(after) : 'true'} ORDER BY ${sort} LIMIT ${values.bind(limit, 'int')}`;
  return `WITH c AS (${counted}) SELECT json_build_object('total', (SELECT count(*) FROM c),
    'values', (SELECT json_agg(json_build_array(v, n) ORDER BY ${sort}) FROM (${page}) p))`;
}

const PERIODS: Readonly<Record<Period, string>> = { DAY: 'day', WEEK: 'week', MONTH: 'month', YEAR: 'year' };

/** Numbers of hits per period. By day first: converting an instant to a day costs a third of truncating it. */
const periodsText = (period: Period, name: string): string =>
  `SELECT to_char(date_trunc('${PERIODS[period]}', day::timestamp), 'YYYY-MM-DD') AS v, sum(n)::int AS n
    FROM (SELECT (${name} AT TIME ZONE 'UTC')::date AS day, count(*) AS n FROM hit WHERE ${name} IS NOT NULL GROUP BY 1) d GROUP BY 1`;

/** A value per hit, or several. */
function valuesText({ field }: FacetWish, name: string, siteId: string, values: Values): string {
  switch (field.kind) {
    case 'extra':
      return `SELECT e.value AS v FROM hit JOIN dataset_extra e ON e.dataset_id = hit.dataset_id AND e.key = ${values.bind(field.of)}`;
    case 'resource':
      return "SELECT DISTINCT r.url AS v, hit.dataset_id FROM hit JOIN resource r ON r.dataset_id = hit.dataset_id AND r.state = 'active'";
    case 'constant':
      return `SELECT ${values.bind(field.of === 'siteId' ? siteId : 'package', 'text')} AS v FROM hit`;
    default:
      return `SELECT ${name} AS v FROM hit`;
  }
}
