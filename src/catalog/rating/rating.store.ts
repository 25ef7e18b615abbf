/** Ratings, in SQL. */
import type { Sql, Statement } from '../../kernel/db.ts';

export interface RatingSummary {
  readonly count: number;
  /** Null without ratings. */
  readonly average: number | null;
}

const statements = {
  // The lock keeps the dataset from being removed between the look and the write.
  put: {
    name: 'rating_put',
    text: `INSERT INTO rating (dataset_id, user_id, rating, created_at)
      SELECT d.id, $2, $3::int, $4 FROM (SELECT id FROM dataset WHERE id = $1 FOR KEY SHARE) d
      ON CONFLICT (dataset_id, user_id) DO UPDATE SET rating = EXCLUDED.rating, created_at = EXCLUDED.created_at
      RETURNING xmax = 0 AS added`,
  },
  summaries: {
    name: 'rating_summaries',
    text: `SELECT dataset_id AS id, count(*)::int AS count, avg(rating)::float8 AS average FROM rating
      WHERE dataset_id = ANY ($1) GROUP BY 1`,
  },
  ofUser: {
    name: 'ratings_of_user',
    text: 'SELECT dataset_id AS id, rating::int FROM rating WHERE user_id = $1 AND dataset_id = ANY ($2)',
  },
} satisfies Record<string, Statement>;

/** Adds or replaces; tells which. Null when the dataset is gone. */
export async function putRating(
  sql: Sql,
  datasetId: string,
  userId: string,
  rating: number,
  now: Date,
): Promise<'created' | 'updated' | null> {
  const [row] = await sql.rows<{ added: boolean }>(statements.put, [datasetId, userId, rating, now]);
  return row ? (row.added ? 'created' : 'updated') : null;
}

/** By dataset id; those without ratings are left out. */
export async function ratingSummaries(sql: Sql, datasetIds: readonly string[]): Promise<Map<string, RatingSummary>> {
  const rows = await sql.rows<RatingSummary & { id: string }>(statements.summaries, [datasetIds]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** A user's ratings by dataset id; those without one are left out. */
export async function ratingsOfUser(
  sql: Sql,
  userId: string,
  datasetIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await sql.rows<{ id: string; rating: number }>(statements.ofUser, [userId, datasetIds]);
  return new Map(rows.map(({ id, rating }) => [id, rating]));
}
