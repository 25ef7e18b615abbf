/**
 * Reads activity streams: views of the change log, newest first. In SQL because Prisma has no UNION and no window functions: each stream
 * merges many index walks, each filtered by the set-based policy. A stream combines sources: objects that are changed, users who change
 * them, and groups of datasets at that time. Entries that were public at their time are shown to everyone (docs/decisions/0022). All others
 * are shown only to readers who may read the object now.
 */

import { firstAt, lastAt } from '../../changes/position.sql.ts';
import { withHidden } from '../../infra/postgres/columns.ts';
import { firstValue, type Sql, type Statement, type Timeout } from '../../infra/postgres/db.ts';
import type { Call } from '../../kernel/call.ts';
import type { Keyset } from '../../kernel/connection.ts';
import { readable, readableByRight, readerOf } from '../document/readable.ts';
import type { ActivityType, Logged } from './activity.rules.ts';

type OfObject = 'DATASET' | 'GROUP' | 'ORGANIZATION' | 'USER' | 'DASHBOARD';
export type StreamKind = OfObject | 'SITE' | 'ALL';

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

/** Conditions on activities, all of which hold. */
export interface ActivityChoice {
  readonly actor?: string;
  readonly object?: string;
  readonly types?: readonly ActivityType[];
  readonly since?: Date;
  readonly until?: Date;
}

/** A part of a stream: from a log position (exclusive; null: from its newest or oldest entry), after skipping `offset`. */
export interface Part extends Pick<Keyset, 'limit' | 'backward'> {
  readonly from: number | null;
  readonly offset: number;
  readonly where: ActivityChoice;
}

/** The whole stream from its newest entry. */
export const FROM_NEWEST = { from: null, backward: false, offset: 0, where: {} };

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

/**
 * The reader may read the group, organization or user of `c`. Streams of one object check it before they are read. Streams of users
 * keep what was public, as the recordings have it (follow-activity/activity/123).
 */
const OPEN = `(${SYSADMIN} OR CASE c.object_type WHEN 'dataset' THEN true WHEN 'related' THEN true
  WHEN 'user' THEN EXISTS (SELECT FROM user_account u WHERE u.id = c.object_id AND (u.state = 'active' OR u.id = ${SELF}))
  ELSE EXISTS (SELECT FROM group_account g WHERE g.id = c.object_id AND g.state = 'active')
    OR EXISTS (SELECT FROM membership m WHERE m.group_id = c.object_id AND m.user_id = ${SELF}) END)`;

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
type Way = 'to' | 'by' | 'in';
const source = (way: Way, type: string, id: string): string => `SELECT '${way}' AS way, ${type} AS type, ${id} AS id`;
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

/** Parameters of parts: $5 the position to start from, $6 limit, $7 offset, $8 ids of objects, then conditions. */
const UP_TO = '($6::bigint + $7::bigint)';
const NEWEST = '9223372036854775807';
const OLDEST = '-9223372036854775808';

/** How a stream is read: newest first, or (backward) oldest first. */
interface Walk {
  readonly backward: boolean;
  /** A condition on c. */
  readonly only: string;
  /** First and last position, besides $5. */
  readonly low?: string | undefined;
  readonly high?: string | undefined;
}
const start = (at: string, { backward, low, high }: Walk): string =>
  [
    `${at} ${backward ? '>' : '<'} $5::bigint`,
    ...(low ? [`${at} >= ${low}`] : []),
    ...(high ? [`${at} <= ${high}`] : []),
  ].join(' AND ');
const order = (at: string, { backward }: Walk): string => `ORDER BY ${at}${backward ? '' : ' DESC'}`;

/**
 * Entries of one actor or group, in the order of its index and within its bounds. With an equality, the planner drops the column from the
 * order, and may read the whole log by position where few actors have written most of it.
 */
const startIn = (column: string, at: string, { backward, low, high }: Walk): string => {
  const position = '$5::bigint';
  const [lower, upper] = backward
    ? [
        `> (s.id, ${low ? `GREATEST(${position}, ${low} - 1)` : position})`,
        `<= (s.id, ${high ?? `'${NEWEST}'::bigint`})`,
      ]
    : [
        `>= (s.id, ${low ?? `'${OLDEST}'::bigint`})`,
        `< (s.id, ${high ? `LEAST(${position}, ${high} + 1)` : position})`,
      ];
  return `(${column}, ${at}) ${lower} AND (${column}, ${at}) ${upper}`;
};
const orderIn = (column: string, at: string, way: Walk): string =>
  order(`${column}${way.backward ? '' : ' DESC'}, ${at}`, way);

/**
 * The entry `c` at the position of `of`, by its key. The planner cannot choose another way: next to the cost that it expects of the
 * sources, reading the whole log looks as cheap.
 */
const entryAt = (of: string): string =>
  `CROSS JOIN LATERAL (SELECT * FROM change WHERE sequence = ${of}.sequence OFFSET 0) c`;

/** Positions of a source `s`: a number of them in reading order, or all. */
const walk = (limit: string, way: Walk): string => {
  const some = (column: string, at: string): [condition: string, end: string] =>
    limit === 'ALL'
      ? [`${column} = s.id AND ${start(at, way)}`, '']
      : [startIn(column, at, way), `${orderIn(column, at, way)} LIMIT ${limit}`];
  const [by, endBy] = some('c.actor_id', 'c.sequence');
  const [within, endWithin] = some('a.group_id', 'a.sequence');
  return `
  (SELECT c.sequence FROM change c WHERE s.way = 'to' AND c.object_type = s.type AND c.object_id = s.id
    AND ${start('c.sequence', way)} ${way.only} AND ${VISIBLE} ${order('c.sequence', way)} LIMIT ${limit})
  UNION ALL (SELECT c.sequence FROM change c WHERE s.way = 'by' AND NOT (${ACCOUNT})
    AND ${by} ${way.only} AND ${VISIBLE} ${endBy})
  UNION ALL (SELECT a.sequence FROM activity_group a ${entryAt('a')} WHERE s.way = 'in'
    AND ${within} ${way.only} AND ${VISIBLE} ${endWithin})`;
};

const sourcesOf = (kind: OfObject): string => `(${SOURCES[kind].join(' UNION ')})`;

/** Log positions on one page of a stream. */
const paged = (positions: string, way: Walk): string =>
  `${positions} ${order('1', way)} LIMIT $6::bigint OFFSET $7::bigint`;

/**
 * Positions from sources, at least the first n. These are in the sources whose first entries are among the n first.
 * Only these are walked further, so that an organization of thousands of datasets costs one index step for each.
 */
const positionsOfSources = (sources: string, way: Walk): string => `
  SELECT DISTINCT p.sequence FROM (
    SELECT s.*, dense_rank() OVER (${order('ends.sequence', way)}) AS rank FROM ${sources} s CROSS JOIN LATERAL (
      SELECT ${way.backward ? 'min' : 'max'}(w.sequence) AS sequence FROM (${walk('1', way)}) w) ends
    WHERE ends.sequence IS NOT NULL) s
  CROSS JOIN LATERAL (${walk(UP_TO, way)}) p WHERE s.rank <= ${UP_TO}`;

/**
 * Positions in a stream of many sources. As many log entries as there are sources are read first: an entry costs a third of an index step
 * in a source. They are enough if n of them belong to the stream, or if the log has no more.
 */
const positionsOfMany = (kind: OfObject, way: Walk): string => {
  // The condition of the index change_activity_sequence. All positions are above 0.
  const entries = (columns: string) => `SELECT ${columns} FROM change c
    WHERE c.activity_id IS NOT NULL AND c.sequence > 0 AND ${start('c.sequence', way)} ${order('c.sequence', way)} LIMIT (SELECT count(*) FROM source)`;
  const sources = (columns: string, of: Way) => `SELECT ${columns} FROM source s WHERE s.way = '${of}'`;
  // With OFFSET 0 and IS TRUE, the planner looks up the groups of an entry, and does not read all entries of the groups.
  return `
  WITH source AS MATERIALIZED ${sourcesOf(kind)},
  near AS MATERIALIZED (SELECT e.sequence FROM (SELECT c.sequence FROM (${entries('c.sequence, c.object_type, c.object_id, c.actor_id, c.action')}) c
    WHERE (c.object_type, c.object_id) IN (${sources('s.type, s.id', 'to')})
      OR NOT (${ACCOUNT}) AND c.actor_id IN (${sources('s.id', 'by')})
      OR EXISTS (SELECT FROM activity_group a WHERE a.sequence = c.sequence AND (a.group_id IN (${sources('s.id', 'in')})) IS TRUE OFFSET 0)
    ${order('c.sequence', way)} OFFSET 0) e ${entryAt('e')} WHERE ${VISIBLE} ${way.only} ${order('e.sequence', way)} LIMIT ${UP_TO}),
  enough AS MATERIALIZED (SELECT (SELECT count(*) FROM near) = ${UP_TO}
    OR (SELECT count(*) FROM (${entries('')}) e) < (SELECT count(*) FROM source) AS are)
  SELECT sequence FROM near WHERE (SELECT are FROM enough)
  UNION ALL SELECT sequence FROM (${positionsOfSources('source', way)}) p WHERE NOT (SELECT are FROM enough)`;
};

/** Objects whose activities are mostly those of other objects. */
const MANY: readonly StreamKind[] = ['GROUP', 'ORGANIZATION', 'DASHBOARD'];
const positionsOf = (kind: OfObject, way: Walk): string =>
  paged(MANY.includes(kind) ? positionsOfMany(kind, way) : positionsOfSources(sourcesOf(kind), way), way);

/** Activities of other users after a log position. */
const NEWS: Walk = {
  backward: false,
  low: '$8::bigint + 1',
  only: `AND (CASE WHEN ${ACCOUNT} THEN c.object_id ELSE c.actor_id END) IS DISTINCT FROM ${SELF}`,
};
/** Activities of other users on the reader's dashboard. */
const news = (name: string, columns: string, end = ''): Statement => ({
  name: `activities_${name}`,
  text: withHidden(
    `SELECT ${columns} FROM (SELECT ${SELF} AS id) AS k CROSS JOIN LATERAL (${positionsOf('DASHBOARD', NEWS)}) p ${end}`,
  ),
});

const statements = {
  news: news('news', COLUMNS, `${entryAt('p')} ORDER BY c.sequence DESC`),
  countNews: news('news_count', 'count(*)::int AS n'),
  byIds: {
    name: 'activities_by_ids',
    text: withHidden(`SELECT ${COLUMNS} FROM change c WHERE c.activity_id = ANY ($5::text[]) AND ${VISIBLE}`),
  },
} satisfies Record<string, Statement>;

/** The type of `c`, as in activity.rules.ts. */
const TYPE = `COALESCE(c.detail -> 'noted' ->> 'type', CASE c.object_type WHEN 'related' THEN 'RELATED_ITEM' ELSE upper(c.object_type) END
  || CASE WHEN c.action = 'created' OR c.detail ->> 'published' = 'true' THEN '_CREATED' WHEN c.action = 'deleted' THEN '_DELETED' ELSE '_CHANGED' END)`;

type Bind = (value: unknown) => string;

/** Conditions on `c`, and the positions between which they hold. */
function chosen({ actor, object, types, since, until }: ActivityChoice, bind: Bind): Omit<Walk, 'backward'> {
  const user = actor === undefined ? null : bind(actor);
  const parts = [
    ...(user ? [`(c.actor_id = ${user} AND NOT (${ACCOUNT}) OR c.object_id = ${user} AND ${ACCOUNT})`] : []),
    ...(object === undefined ? [] : [`c.object_type IN (${STREAMED}) AND c.object_id = ${bind(object)}`]),
    ...(types ? [`${TYPE} = ANY (${bind(types)}::text[])`] : []),
  ];
  if (since) parts.push(`c.created_at >= ${bind(since)}`);
  if (until) parts.push(`c.created_at < ${bind(endOf(until))}`);
  return {
    only: parts.map((part) => `AND ${part}`).join(' '),
    low: since && firstAt('sequence', bind(since)),
    high: until && lastAt('sequence', bind(endOf(until))),
  };
}
const STREAMED = "'dataset', 'group', 'organization', 'user', 'related'";
/** The end of a time's millisecond: the graph shows no smaller parts. */
const endOf = (at: Date): Date => new Date(at.getTime() + 1);

/** The text of a statement with columns, or the number, of activities in streams. */
function textOf(kind: StreamKind, way: Walk, isCount: boolean): string {
  // All texts use all parameters, so that PostgreSQL knows their types.
  const ofEach = `FROM unnest($8::text[]) AS k(id)`;
  const used = '$6::bigint IS NOT NULL AND $7::bigint IS NOT NULL AND';
  // The condition of the index change_activity_sequence.
  const all = `change c WHERE ${used} c.sequence > 0 AND ${kind === 'SITE' ? "c.object_type = 'dataset'" : OPEN} AND ${VISIBLE} AND ${start('c.sequence', way)} ${way.only}`;
  const rows =
    kind === 'SITE' || kind === 'ALL'
      ? isCount
        ? `SELECT count(*)::int FROM ${all}`
        : paged(`SELECT c.sequence FROM ${all}`, way)
      : isCount
        ? `SELECT count(DISTINCT p.sequence)::int FROM ${sourcesOf(kind)} s CROSS JOIN LATERAL (${walk('ALL', way)}) p WHERE ${used} true`
        : positionsOf(kind, way);
  return isCount
    ? `SELECT k.id AS stream, (${rows}) AS n ${ofEach}`
    : `SELECT k.id AS stream, ${COLUMNS} ${ofEach} CROSS JOIN LATERAL (${rows}) p ${entryAt('p')} ${order('c.sequence', way)}`;
}

const named = new Map<string, Statement>();

/** The statement of streams without conditions. Its plan does not depend on values: planning a stream costs more than most streams. */
function wholeStream(kind: StreamKind, backward: boolean, isCount: boolean): Statement {
  const name = `activit${isCount ? 'y_count' : 'ies'}_${kind.toLowerCase()}${backward ? '_back' : ''}`;
  let statement = named.get(name);
  if (!statement) {
    const text = textOf(kind, { backward, only: '' }, isCount);
    statement = { name, text: kind === 'SITE' || kind === 'ALL' ? text : withHidden(text) };
    named.set(name, statement);
  }
  return statement;
}

/** Maximum offset of a part without the timeout of searches: skipped entries are read. */
const FAR = 10_000;

/** The statement of a part of streams, or of their length. With conditions it has no name, and can read a whole stream to its end. */
function write(kind: StreamKind, part: Part, ids: readonly string[], { reader, timeout }: Reading, isCount: boolean) {
  const { backward, where } = part;
  const values: unknown[] = [...reader, part.from ?? (backward ? 0 : NEWEST), part.limit, part.offset, ids];
  if (Object.keys(where).length === 0) {
    const statement = wholeStream(kind, backward, isCount);
    return { values, statement: part.offset > FAR ? { ...statement, timeout } : statement };
  }
  const way = { backward, ...chosen(where, (value) => `$${values.push(value)}`) };
  return { values, statement: { text: textOf(kind, way, isCount), timeout } };
}

interface Streamed {
  readonly stream: string;
}

/** The reader of a stream, and the timeout of a statement with conditions. */
export interface Reading {
  readonly reader: Reader;
  readonly timeout: Timeout;
}

export const readingOf = ({ actor, settings }: Pick<Call, 'actor' | 'settings'>): Reading => ({
  reader: readerOf(actor),
  timeout: { seconds: settings['search.timeout'], setting: 'search.timeout' },
});

/** One part of each stream, in reading order, by id of the object. For SITE and ALL the id is ''. */
export async function partsOfStreams(
  sql: Sql,
  kind: StreamKind,
  ids: readonly string[],
  part: Part,
  reading: Reading,
): Promise<Map<string, ActivityRow[]>> {
  const { statement, values } = write(kind, part, ids, reading, false);
  const streams = new Map<string, ActivityRow[]>(ids.map((id) => [id, []]));
  for (const { stream, ...row } of await sql.rows<ActivityRow & Streamed>(statement, values))
    streams.get(stream)?.push(row);
  return streams;
}

/** Activities in each stream, by id of the object. */
export async function countStreams(
  sql: Sql,
  kind: StreamKind,
  where: ActivityChoice,
  ids: readonly string[],
  reading: Reading,
): Promise<Map<string, number>> {
  const { statement, values } = write(kind, { ...FROM_NEWEST, limit: 0, where }, ids, reading, true);
  const rows = await sql.rows<Streamed & { n: number }>(statement, values);
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
export const countNews = (sql: Sql, { after, before }: Range, max: number, reader: Reader): Promise<number> =>
  firstValue(sql, statements.countNews, [...reader, before ?? NEWEST, max, 0, after]);
