/** Reads the rows and values that facets count. In SQL because Prisma has no xid8 and no aggregation to JSON text. */
import { listOf, readerBy } from '../../infra/postgres/by-keys.sql.ts';
import type { RowOf, Sql, Statement } from '../../infra/postgres/db.ts';
import type { FacetRow } from './columns.ts';
import type { ValueRow } from './dictionary.ts';

/** Identifies the contents of the tables: emptying them restarts all numbers. */
export const GENERATION = `pg_relation_filenode('dataset_search'::regclass) || ' ' || pg_relation_filenode('search_value'::regclass)`;

const micros = (column: string): string => `(extract(epoch FROM ${column}) * 1000000)::bigint`;

/** A row of the index as `facetRow` reads it. */
export const ROW = `number, public, array_to_json(facets), ${micros('modified_at')}, ${micros('created_at')},
  CASE WHEN NOT public AND state IN ('active', 'draft') THEN json_build_array(state, private, owner_organization_id, creator_id) END`;

/** A snapshot contains all writes of older transactions. */
export const SETTLED = 'pg_snapshot_xmin(pg_current_snapshot())::text';

const writtenSince: Statement = {
  name: 'search_facets_written',
  text: `SELECT ${GENERATION} AS generation, ${SETTLED} AS since, json_agg(json_build_array(${ROW}))::text AS rows
    FROM dataset_search WHERE written >= $1::xid8`,
};

const values = { table: 'search_value', fields: { code: true, field: true, value: true } } as const;
const allValues = listOf<ValueRow>(values);
const valuesByCode = readerBy<ValueRow>({ ...values, type: 'int', by: ['code'] });
const readVocabularies = readerBy<RowOf<'Vocabulary', 'id' | 'name'>>({
  table: 'vocabulary',
  fields: { id: true, name: true },
  by: ['name'],
});

/** Rows written by a transaction or by later ones; null when there are none. */
interface Written {
  generation: string;
  since: string;
  rows: string | null;
}

/** Rows written by a transaction or by later ones. */
export const readWritten = async (sql: Sql, since: string): Promise<Written> =>
  (await sql.rows<Written>(writtenSince, [since]))[0]!;

/** All values, or those of some codes. */
export const readValues = (sql: Sql, codes?: readonly number[]): Promise<readonly ValueRow[]> =>
  codes ? valuesByCode(sql, codes) : allValues(sql, null);

/** ROW as JSON. */
export type RowJson = [
  number: number,
  isPublic: boolean,
  facets: number[],
  modified: number,
  created: number,
  hidden: [state: string, isPrivate: boolean, ownerId: string | null, creatorId: string | null] | null,
];

export const facetRow = ([number, isPublic, facets, modifiedAt, createdAt, hidden]: RowJson): FacetRow => {
  const [state, isPrivate, ownerId, creatorId] = hidden ?? [];
  return {
    ...{ number, public: isPublic, facets, modifiedAt, createdAt },
    hidden: state === undefined ? null : { state, private: isPrivate!, ownerId: ownerId!, creatorId: creatorId! },
  };
};

/** Rows returned by statements: a JSON list of ROW. */
export const facetRows = (json: string | null): FacetRow[] =>
  json === null ? [] : (JSON.parse(json) as RowJson[]).map(facetRow);

/** Names of vocabularies → fields of their values. */
export async function vocabularyFields(sql: Sql, names: readonly string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const rows = await readVocabularies(sql, names);
  return new Map(rows.map(({ id, name }) => [name, `vocab:${id}`]));
}
