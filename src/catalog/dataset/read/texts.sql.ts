/**
 * Reads lists of documents as one JSON text, unless the process has it. In SQL because Prisma has no xmin and no string_agg(): 207
 * documents take 6 ms less as one text than as rows.
 */
import { hidden, withHidden } from '../../../infra/postgres/columns.ts';
import type { Sql, Statement } from '../../../infra/postgres/db.ts';
import { JsonText } from '../../../kernel/json.ts';
import { conditions, type DatasetList } from './lists.sql.ts';
import { textsOf } from './texts.ts';

/** A part of a list, most recently modified first. Only lists that do not depend on their reader. */
export interface ListText extends Pick<DatasetList, 'id'> {
  readonly of: 'all' | 'group' | 'organization';
  readonly shows: 'public' | 'active';
  readonly limit: number;
  readonly offset: number;
}

interface TextRow {
  readonly id: string;
  readonly digest: string;
  /** Whether some document may show relationships, which not every reader may see. */
  readonly linked: boolean;
  /** Null if it is linked, or has the cached digest. */
  readonly documents: string | null;
}

/** Identifies the content of a row: every writer's change gives it another xmin. */
const STAMP = `concat_ws(' ', d.dataset_id, d.xmin, d.version)`;

const LIMITS = 'LIMIT $3::bigint OFFSET $4::bigint';

/** Columns of the rows of a list `k`, in its order. */
const rowsOf = ({ of, shows }: ListText, columns: string): string =>
  `SELECT ${columns} FROM dataset_document d WHERE ${conditions({ of, shows, where: {} }, [], () => '')}
    ORDER BY d.modified_at DESC, d.dataset_id ${of === 'all' ? LIMITS : withHidden(LIMITS)}`;

/** Documents are read again, and only if they are returned: with the stamps, each of them would be copied. */
const statementOf = (list: ListText): Statement => ({
  name: `dataset_texts_${list.of}_${list.shows}`,
  text: `SELECT k.id, w.digest, w.linked, CASE WHEN NOT w.linked AND w.digest IS DISTINCT FROM k.digest
      THEN (SELECT '[' || COALESCE(string_agg(t.document, ','), '') || ']' FROM (${rowsOf(list, 'd.document')}) AS t) END AS documents
    FROM unnest(${hidden('$1', 'text[]')}, ${hidden('$2', 'text[]')}) AS k(id, digest) CROSS JOIN LATERAL (
      SELECT md5(COALESCE(string_agg(s.stamp, ','), '')) AS digest, COALESCE(bool_or(s.linked), false) AS linked
      FROM (${rowsOf(list, `${STAMP} AS stamp, d.linked`)}) AS s) AS w`,
});

/** Texts of lists by id; null for lists with documents that differ between readers. */
export async function listTexts(
  sql: Sql,
  list: ListText,
  ids: readonly string[],
): Promise<Map<string, JsonText | null>> {
  const texts = textsOf(sql);
  const keyOf = (id: string): string => JSON.stringify([list.of, id, list.limit, list.offset]);
  const isShared = list.shows === 'public';
  const known = new Map(ids.map((id) => [id, isShared ? texts.get(keyOf(id)) : undefined]));
  const digests = ids.map((id) => known.get(id)?.digest ?? null);
  const rows = await sql.rows<TextRow>(statementOf(list), [ids, digests, list.limit, list.offset]);
  return new Map(
    rows.map(({ id, digest, linked, documents }) => {
      if (linked) return [id, null];
      if (documents === null) return [id, known.get(id)!];
      return [id, isShared ? texts.read(keyOf(id), documents, digest) : new JsonText(documents, digest)];
    }),
  );
}
