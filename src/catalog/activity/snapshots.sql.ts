/** Copies of datasets at activities. In SQL because each is read with its predecessor, for many pairs of keys in one statement. */
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import { DERIVED_KEYS } from '../../kernel/dataset-fields.ts';
import type { DatasetBody } from '../document/record.ts';
import type { Copies } from './details.ts';

/** A dataset after a revision. */
export interface CopyKey {
  readonly objectId: string;
  readonly writtenBy: string;
}

const WANTED =
  'unnest($1::text[], $2::text[]) AS k(dataset_id, revision_id) JOIN dataset_history h USING (dataset_id, revision_id)';

const statements = {
  fields: {
    name: 'activity_fields',
    // A deleted dataset is shown in its last public state: other changes of the same write were never public.
    text: `SELECT h.dataset_id AS "objectId", h.revision_id AS "writtenBy", CASE WHEN h.state = 'deleted' AND b.document IS NOT NULL
        THEN (b.document::jsonb || jsonb_build_object('state', h.state, 'revision_id', h.document::jsonb -> 'revision_id',
          'metadata_modified', h.document::jsonb -> 'metadata_modified')) - $3::text[]
        ELSE h.document::jsonb - $3::text[] END AS fields
      FROM ${WANTED} LEFT JOIN LATERAL (SELECT p.document FROM dataset_history p WHERE h.state = 'deleted' AND p.dataset_id = h.dataset_id
        AND p.version < h.version ORDER BY p.version DESC LIMIT 1) b ON true`,
  },
  copies: {
    name: 'activity_copies',
    text: `SELECT h.dataset_id AS "objectId", h.revision_id AS "writtenBy", h.document AS after, (SELECT b.document FROM dataset_history b
      WHERE b.dataset_id = h.dataset_id AND b.version < h.version ORDER BY b.version DESC LIMIT 1) AS before FROM ${WANTED}`,
  },
} satisfies Record<string, Statement>;

/** Map key of a copy. */
export const copyText = ({ objectId, writtenBy }: CopyKey): string => `${objectId} ${writtenBy}`;

const columns = (keys: readonly CopyKey[]): string[][] => [
  keys.map(({ objectId }) => objectId),
  keys.map(({ writtenBy }) => writtenBy),
];

/** The datasets' own fields, without lists, by copyText. */
export async function fieldsOfCopies(sql: Sql, keys: readonly CopyKey[]): Promise<Map<string, unknown>> {
  const rows = await sql.rows<CopyKey & { fields: unknown }>(statements.fields, [...columns(keys), DERIVED_KEYS]);
  return new Map(rows.map((row) => [copyText(row), row.fields]));
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
