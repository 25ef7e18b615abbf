/** Reads copies of datasets at activities. In SQL because Prisma cannot join a row with its predecessor, for many pairs of keys. */
import { createLru, type Lru } from '../../infra/concurrency/lru.ts';
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import { BySql } from '../../infra/postgres/traced.ts';
import { DERIVED_KEYS } from '../../kernel/dataset-fields.ts';
import { JsonText } from '../../kernel/json.ts';
import type { DatasetBody } from '../document/record.ts';
import type { Copies } from './details.ts';

/** A dataset after a revision. */
export interface CopyKey {
  readonly objectId: string;
  readonly writtenBy: string;
}

const HISTORY = 'JOIN dataset_history h USING (dataset_id, revision_id)';
const REQUESTED_COPIES = `unnest($1::text[], $2::text[]) AS k(dataset_id, revision_id) ${HISTORY}`;

const statements = {
  fields: {
    name: 'activity_fields',
    // A deleted dataset is shown in its last public state: other changes of the same write were never public.
    // Stored copies never change, so the fields of a cached one that still exists are not read.
    text: `SELECT h.dataset_id AS "objectId", h.revision_id AS "writtenBy", h.state = 'deleted' AS "isDeleted",
      CASE WHEN k.cached THEN NULL WHEN h.state = 'deleted' AND b.document IS NOT NULL
        THEN (b.document::jsonb || jsonb_build_object('state', h.state, 'revision_id', h.document::jsonb -> 'revision_id',
          'metadata_modified', h.document::jsonb -> 'metadata_modified')) - $3::text[]
        ELSE h.document::jsonb - $3::text[] END AS fields
      FROM unnest($1::text[], $2::text[], $4::boolean[]) AS k(dataset_id, revision_id, cached) ${HISTORY} LEFT JOIN LATERAL (SELECT p.document FROM dataset_history p WHERE h.state = 'deleted' AND p.dataset_id = h.dataset_id
        AND p.version < h.version ORDER BY p.version DESC LIMIT 1) b ON true`,
  },
  copies: {
    name: 'activity_copies',
    text: `SELECT h.dataset_id AS "objectId", h.revision_id AS "writtenBy", h.document AS after, (SELECT b.document FROM dataset_history b
      WHERE b.dataset_id = h.dataset_id AND b.version < h.version ORDER BY b.version DESC LIMIT 1) AS before FROM ${REQUESTED_COPIES}`,
  },
} satisfies Record<string, Statement>;

/** Map key of a copy. */
export const copyText = ({ objectId, writtenBy }: CopyKey): string => `${objectId} ${writtenBy}`;

const columns = (keys: readonly CopyKey[]): string[][] => [
  keys.map(({ objectId }) => objectId),
  keys.map(({ writtenBy }) => writtenBy),
];

/** Maximum characters of cached fields. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
const caches = new BySql<Lru<JsonText>>();

/** The datasets' own fields, without lists, by copyText. Those of deleted datasets depend on an earlier copy and are not cached. */
export async function fieldsOfCopies(sql: Sql, keys: readonly CopyKey[]): Promise<Map<string, JsonText>> {
  const cache = caches.get(sql) ?? createLru<JsonText>(MAX_CHARACTERS, 'activity_fields');
  caches.set(sql, cache);
  const known = keys.map((key) => cache.get(copyText(key)));
  const rows = await sql.rows<CopyKey & { fields: unknown; isDeleted: boolean }>(statements.fields, [
    ...columns(keys),
    DERIVED_KEYS,
    known.map((text) => text !== undefined),
  ]);
  const before = new Map(keys.map((key, index) => [copyText(key), known[index]]));
  return new Map(
    rows.map(({ fields, isDeleted, ...copy }) => {
      const key = copyText(copy);
      if (fields === null) return [key, before.get(key)!];
      const text = JSON.stringify(fields);
      const read = new JsonText(text);
      if (!isDeleted) cache.set(key, read, text.length + key.length);
      return [key, read];
    }),
  );
}

/** Whole copies with their predecessors, by copyText. */
export async function copiesOf(sql: Sql, keys: readonly CopyKey[]): Promise<Map<string, Copies>> {
  const rows = await sql.rows<CopyKey & { after: string; before: string | null }>(statements.copies, columns(keys));
  const parse = (text: string): DatasetBody => JSON.parse(text);
  return new Map(
    rows.map((row) => [
      copyText(row),
      { after: parse(row.after), before: row.before === null ? null : parse(row.before) },
    ]),
  );
}
