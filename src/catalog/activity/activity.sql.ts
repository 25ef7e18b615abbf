/**
 * Activity streams: views of the change log, newest first. In SQL because each stream merges many index walks, each
 * filtered by the set-based policy. A stream combines sources: objects that are changed, users who change them, and
 * groups of datasets at that time. Entries that were public at their time are shown to everyone (docs/decisions/0022).
 * All others are shown only to readers who may read the object now.
 */
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import { readable, readableByRight } from '../document/readable.ts';
import type { Logged } from './activity.rules.ts';

type OfObject = 'DATASET' | 'GROUP' | 'ORGANIZATION' | 'USER' | 'DASHBOARD';
export type StreamKind = OfObject | 'SITE';

/** A log entry as streams read it. */
export interface ActivityRow extends Logged {
  /** Log position: newer ones are greater. */
  readonly sequence: number;
  readonly id: string;
  readonly happenedAt: Date;
  readonly actorId: string | null;
  readonly objectId: string;
  /** The revision in the log. */
  readonly writtenBy: string;
  /** The revision that readers see. */
  readonly revisionId: string | null;
  readonly detail: Logged['detail'] & {
    readonly name?: string;
    readonly title?: string;
    /** A group's or related item's own fields after the change. */
    readonly row?: unknown;
  };
}

/** A part of a stream: older than a log position (null: from the newest), after skipping `offset`. */
export interface Part {
  readonly before: number | null;
  readonly limit: number;
  readonly offset: number;
}

/** Values of readerOf (document/readable.ts). */
export type Reader = readonly unknown[];

/** Parameters of every statement: $1 to $4 the reader. */
const [SYSADMIN, SELF] = ['$1::boolean', '$2::text'];

/** `c` is an entry with an activity that was public, or that the reader may read. */
const VISIBLE = `c.activity_id IS NOT NULL AND (c.is_public OR ${SYSADMIN} OR CASE c.object_type
  WHEN 'dataset' THEN EXISTS (SELECT FROM dataset d WHERE d.id = c.object_id AND ${readableByRight('d', 1)})
  WHEN 'user' THEN EXISTS (SELECT FROM user_account u WHERE u.id = c.object_id AND (u.state = 'active' OR u.id = ${SELF}))
  WHEN 'related' THEN EXISTS (SELECT FROM dataset d WHERE d.id = c.detail ->> 'datasetId' AND ${readableByRight('d', 1)})
  ELSE EXISTS (SELECT FROM membership m WHERE m.group_id = c.object_id AND m.user_id = ${SELF}) END)`;

/** The user of a changed account counts as the author of the change. */
const ACCOUNT = `c.object_type = 'user' AND c.action <> 'noted'`;
const CATALOG = (c: string): string =>
  `${c}.object_type IN ('dataset', 'group', 'organization') AND ${c}.action <> 'noted'`;

const COLUMNS = `c.sequence::float8 AS sequence, c.activity_id AS id, c.created_at AS "happenedAt",
  CASE WHEN ${ACCOUNT} THEN c.object_id ELSE c.actor_id END AS "actorId", c.object_type AS "objectType", c.object_id AS "objectId",
  c.action, c.detail, c.revision_id AS "writtenBy", CASE WHEN ${CATALOG('c')} THEN c.revision_id
    WHEN NOT (${ACCOUNT} AND c.action = 'created') THEN (SELECT b.revision_id FROM change b
      WHERE b.sequence < c.sequence AND ${CATALOG('b')} ORDER BY b.sequence DESC LIMIT 1) END AS "revisionId"`;

/** A source: a changed object (`to`), an author (`by`), or a group of datasets at that time (`in`). */
const source = (way: 'to' | 'by' | 'in', type: string, id: string): string =>
  `SELECT '${way}' AS way, ${type} AS type, ${id} AS id`;
const happensTo = (type: string, id: string): string => source('to', type, id);
/** Only readers of a hidden dataset learn its present groups; the activities themselves name the earlier ones. */
const FILED = (group: string): string =>
  `${happensTo("'dataset'", 'd.id')} FROM dataset_group f JOIN dataset d ON d.id = f.dataset_id WHERE f.group_id = ${group} AND ${readable('d', 1)}`;
const OWNED = (owner: string): string =>
  `${happensTo("'dataset'", 'd.id')} FROM dataset d WHERE d.owner_organization_id = ${owner} AND ${readable('d', 1)}`;
const WAS_IN = (group: string): string => source('in', "'dataset'", group);
const FOLLOWED = (type: string): string =>
  `SELECT w.object_id FROM follower w WHERE w.follower_id = k.id AND w.object_type = '${type}'`;

/** Sources of the stream of the object k.id. */
const SOURCES: Readonly<Record<OfObject, readonly string[]>> = {
  DATASET: [happensTo("'dataset'", 'k.id')],
  GROUP: [happensTo("'group'", 'k.id'), FILED('k.id'), WAS_IN('k.id')],
  ORGANIZATION: [happensTo("'organization'", 'k.id'), OWNED('k.id'), WAS_IN('k.id')],
  USER: [happensTo("'user'", 'k.id'), source('by', "'user'", 'k.id')],
  DASHBOARD: [
    `SELECT a.way, 'user' AS type, u.id FROM (SELECT k.id UNION ${FOLLOWED('user')}) AS u(id), (VALUES ('to'), ('by')) AS a(way)`,
    `${happensTo("'dataset'", 'o.id')} FROM (${FOLLOWED('dataset')}) AS o(id)`,
    `SELECT 'to', t.type, o.id FROM (${FOLLOWED('group')}) AS o(id), (VALUES ('group'), ('organization')) AS t(type)`,
    `${WAS_IN('o.id')} FROM (${FOLLOWED('group')}) AS o(id)`,
    FILED(`ANY (ARRAY(${FOLLOWED('group')}))`),
    OWNED(`ANY (ARRAY(${FOLLOWED('group')}))`),
  ],
};

const KINDS = Object.keys(SOURCES) as OfObject[];
interface Streamed {
  readonly stream: string;
}
type Counted = Streamed & { readonly n: number };

/** Parameters of parts: $5 before, $6 limit, $7 offset; then ids of objects, or the start of the news. */
const OLDER = 'c.sequence < $5::bigint';
const WANTED = '($6::bigint + $7::bigint)';
const NEWEST = '9223372036854775807';

/** Positions of a source `s`, newest first; `only` is a condition on c, whose position is `at`. */
const walk = (limit: string, only = (_at: string): string => ''): string => `
  (SELECT c.sequence FROM change c WHERE s.way = 'to' AND c.object_type = s.type AND c.object_id = s.id AND ${OLDER} ${only('c.sequence')} AND ${VISIBLE}
    ORDER BY c.sequence DESC LIMIT ${limit})
  UNION ALL (SELECT c.sequence FROM change c WHERE s.way = 'by' AND c.actor_id = s.id AND NOT (${ACCOUNT}) AND ${OLDER} ${only('c.sequence')} AND ${VISIBLE}
    ORDER BY c.sequence DESC LIMIT ${limit})
  UNION ALL (SELECT a.sequence FROM activity_group a JOIN change c ON c.sequence = a.sequence WHERE s.way = 'in' AND a.group_id = s.id
      AND a.sequence < $5::bigint ${only('a.sequence')} AND ${VISIBLE} ORDER BY a.sequence DESC LIMIT ${limit})`;

const sourcesOf = (kind: OfObject): string => `(${SOURCES[kind].join(' UNION ')})`;

/**
 * Positions of the stream of k.id. The newest n of all are in the sources whose newest entries are among the n newest.
 * Only these are walked further, so that an organization of thousands of datasets costs one index step for each.
 */
const places = (kind: OfObject, only?: (at: string) => string): string => `
  SELECT DISTINCT p.sequence FROM (
    SELECT s.*, dense_rank() OVER (ORDER BY newest.sequence DESC) AS rank FROM ${sourcesOf(kind)} s CROSS JOIN LATERAL (
      SELECT max(w.sequence) AS sequence FROM (${walk('1', only)}) w) newest
    WHERE newest.sequence IS NOT NULL) s
  CROSS JOIN LATERAL (${walk(WANTED, only)}) p WHERE s.rank <= ${WANTED}
  ORDER BY 1 DESC LIMIT $6::bigint OFFSET $7::bigint`;

const SITE = `c.object_type = 'dataset' AND ${VISIBLE}`;
/** Activities of other users after a log position. */
const NEWS = (at: string): string =>
  `AND ${at} > $8::bigint AND (CASE WHEN ${ACCOUNT} THEN c.object_id ELSE c.actor_id END) IS DISTINCT FROM ${SELF}`;

const page = (kind: OfObject): Statement => ({
  name: `activities_${kind.toLowerCase()}`,
  text: `SELECT k.id AS stream, ${COLUMNS} FROM unnest($8::text[]) AS k(id) CROSS JOIN LATERAL (${places(kind)}) p
    JOIN change c ON c.sequence = p.sequence ORDER BY c.sequence DESC`,
});
const count = (kind: OfObject): Statement => ({
  name: `activity_count_${kind.toLowerCase()}`,
  text: `SELECT k.id AS stream, (SELECT count(DISTINCT p.sequence)::int FROM ${sourcesOf(kind)} s
    CROSS JOIN LATERAL (${walk('ALL')}) p) AS n FROM unnest($6::text[]) AS k(id)`,
});
const each = (make: (kind: OfObject) => Statement): Record<OfObject, Statement> =>
  Object.fromEntries(KINDS.map((kind) => [kind, make(kind)])) as Record<OfObject, Statement>;

/** Activities of all users on datasets. */
const site = (name: string, columns: string, end = ''): Statement => ({
  name: `activities_${name}`,
  text: `SELECT '' AS stream, ${columns} FROM change c WHERE ${SITE} AND ${OLDER} ${end}`,
});
/** Activities of other users on the reader's dashboard. */
const news = (name: string, columns: string, end = ''): Statement => ({
  name: `activities_${name}`,
  text: `SELECT ${columns} FROM (SELECT ${SELF} AS id) AS k CROSS JOIN LATERAL (${places('DASHBOARD', NEWS)}) p ${end}`,
});

const statements = {
  page: each(page),
  count: each(count),
  site: site('site', COLUMNS, 'ORDER BY c.sequence DESC LIMIT $6::bigint OFFSET $7::bigint'),
  countSite: site('site_count', 'count(*)::int AS n'),
  news: news('news', COLUMNS, 'JOIN change c ON c.sequence = p.sequence ORDER BY c.sequence DESC'),
  countNews: news('news_count', 'count(*)::int AS n'),
  byIds: {
    name: 'activities_by_ids',
    text: `SELECT ${COLUMNS} FROM change c WHERE c.activity_id = ANY ($5::text[]) AND ${VISIBLE}`,
  },
} satisfies Record<string, Statement | Record<OfObject, Statement>>;

/** One part of each stream, newest first, by id of the object. For SITE the id is ''. */
export async function partsOfStreams(
  sql: Sql,
  kind: StreamKind,
  ids: readonly string[],
  { before, limit, offset }: Part,
  reader: Reader,
): Promise<Map<string, ActivityRow[]>> {
  const values = [...reader, before ?? NEWEST, limit, offset];
  const rows = await (kind === 'SITE'
    ? sql.rows<ActivityRow & Streamed>(statements.site, values)
    : sql.rows<ActivityRow & Streamed>(statements.page[kind], [...values, ids]));
  const streams = new Map<string, ActivityRow[]>(ids.map((id) => [id, []]));
  for (const { stream, ...row } of rows) streams.get(stream)?.push(row);
  return streams;
}

/** Activities in each stream, by id of the object. */
export async function countStreams(
  sql: Sql,
  kind: StreamKind,
  ids: readonly string[],
  reader: Reader,
): Promise<Map<string, number>> {
  const rows = await (kind === 'SITE'
    ? sql.rows<Counted>(statements.countSite, [...reader, NEWEST])
    : sql.rows<Counted>(statements.count[kind], [...reader, NEWEST, ids]));
  return new Map(rows.map(({ stream, n }) => [stream, n]));
}

/** Activities by id, unordered; hidden ones are omitted. */
export const activitiesByIds = (sql: Sql, ids: readonly string[], reader: Reader): Promise<ActivityRow[]> =>
  sql.rows(statements.byIds, [...reader, ids]);

/** A range of the log: after one position, and before another (null: up to the newest). */
export interface Range {
  readonly after: number;
  readonly before: number | null;
}

/** Activities of other users in the reader's dashboard within a range, newest first. */
export const listNews = (sql: Sql, { after, before }: Range, limit: number, reader: Reader): Promise<ActivityRow[]> =>
  sql.rows(statements.news, [...reader, before ?? NEWEST, limit, 0, after]);

/** Number of these activities, counted up to `max`. */
export const countNews = async (sql: Sql, { after, before }: Range, max: number, reader: Reader): Promise<number> =>
  (await sql.rows<{ n: number }>(statements.countNews, [...reader, before ?? NEWEST, max, 0, after]))[0]!.n;
