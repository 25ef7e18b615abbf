/**
 * Finds or creates the tags of a dataset that is being written. In SQL because Prisma has no FOR KEY SHARE. package_create sends these
 * statements with its pipelined writes.
 */
import type { RowOf, Sql, Statement } from '../../infra/postgres/db.ts';

interface TagRow {
  id: string;
  name: string;
  vocabulary_id: string | null;
}

// FOR KEY SHARE: a tag found here cannot be deleted before the transaction ends.
const statements = {
  free: {
    name: 'tags_wanted_free',
    text: 'SELECT id, name, vocabulary_id FROM tag WHERE vocabulary_id IS NULL AND name = ANY ($1) FOR KEY SHARE',
  },
  controlled: {
    name: 'tags_wanted_controlled',
    text: `SELECT t.id, t.name, t.vocabulary_id FROM unnest($1::text[], $2::text[]) AS w(name, vocabulary_id)
      JOIN tag t ON t.vocabulary_id = w.vocabulary_id AND t.name = w.name FOR KEY SHARE OF t`,
  },
  // Sorted, so that two transactions that create the same tags cannot deadlock.
  make: {
    name: 'tags_make',
    text: `INSERT INTO tag (id, name, vocabulary_id) SELECT gen_random_uuid()::text, name, vocabulary_id
      FROM unnest($1::text[], $2::text[]) AS w(name, vocabulary_id) ORDER BY vocabulary_id, name ON CONFLICT DO NOTHING`,
  },
} satisfies Record<string, Statement>;

export type RequestedTag = RowOf<'Tag', 'name' | 'vocabularyId'>;
type Controlled = { readonly name: string; readonly vocabularyId: string };

/** A tag's natural key: names are unique among free tags and within a vocabulary. */
export const tagKey = ({ name, vocabularyId }: RequestedTag): string => `${vocabularyId ?? ''}\n${name}`;

/** Ids of existing tags, by tagKey. */
export async function idsByTag(sql: Sql, requested: readonly RequestedTag[]): Promise<Map<string, string>> {
  const free = requested.filter((tag) => tag.vocabularyId === null).map((tag) => tag.name);
  const controlled = requested.filter(isControlled);
  const rows = await Promise.all([
    free.length > 0 ? sql.rows<TagRow>(statements.free, [free]) : [],
    controlled.length > 0 ? sql.rows<TagRow>(statements.controlled, columns(controlled)) : [],
  ]);
  return new Map(rows.flat().map((row) => [tagKey({ name: row.name, vocabularyId: row.vocabulary_id }), row.id]));
}

/** Creates tags; existing ones stay unchanged. The vocabularies must exist. */
export async function insertMissingTags(sql: Sql, missing: readonly RequestedTag[]): Promise<void> {
  if (missing.length > 0) await sql.rows(statements.make, columns(missing));
}

const isControlled = (tag: RequestedTag): tag is Controlled => tag.vocabularyId !== null;
const columns = (tags: readonly RequestedTag[]): unknown[] => [
  tags.map((tag) => tag.name),
  tags.map((tag) => tag.vocabularyId),
];
