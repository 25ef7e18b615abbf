/** What users follow, in pages: for many users in one statement, and only what the reader may read. */

import { readable } from '../../catalog/document/readable.ts';
import type { Keyset } from '../../kernel/connection.ts';
import type { Sql, Statement } from '../../kernel/db.ts';
import { type FollowedRecord, type FolloweeKind, followedBy } from './follower.store.ts';

/** Which of what a user follows: null for every kind, and for any beginning of the display name. */
export interface FolloweeChoice {
  readonly kinds: readonly FolloweeKind[] | null;
  readonly startsWith: string | null;
}

/** One object with the user who follows it. */
export type ListedFollowee = FollowedRecord & { readonly userId: string };

/** Values of readerOf (catalog/document/readable.ts): $1 to $4. */
type Reader = readonly unknown[];

/** The policies of reads as conditions: mayReadDataset, mayReadGroup; users are shown to everybody. Nothing deleted. */
const TOLD = {
  USER: `o.state <> 'deleted'`,
  DATASET: `o.state <> 'deleted' AND ${readable('o', 1)}`,
  GROUP: `o.state <> 'deleted' AND ($1::boolean OR o.state = 'active' OR o.id = ANY ($3::text[]))`,
};
const FOLLOWED = `FROM (${followedBy('k.id', TOLD)}) AS o WHERE ($6::text[] IS NULL OR kind = ANY ($6))
  AND ($7::text IS NULL OR starts_with(lower("displayName"), lower($7)))`;
const ORDER = '"displayName" COLLATE "C", name COLLATE "C", kind COLLATE "C"';

const statements = {
  pages: {
    name: 'followee_pages',
    text: `SELECT k.id AS "userId", page.* FROM unnest($5::text[]) AS k(id) CROSS JOIN LATERAL (SELECT * ${FOLLOWED}
        AND ($8::text IS NULL OR (${ORDER}) > ($8, $9::text, $10::text)) ORDER BY ${ORDER} LIMIT $11) AS page ORDER BY k.id, ${ORDER}`,
  },
  counts: {
    name: 'followee_counts',
    text: `SELECT k.id, (SELECT count(*) ${FOLLOWED})::int AS n FROM unnest($5::text[]) AS k(id)`,
  },
} satisfies Record<string, Statement>;

/** One page of what each user follows, by display name, one more than its limit. */
export const pagesOfFollowees = (
  sql: Sql,
  userIds: readonly string[],
  { kinds, startsWith }: FolloweeChoice,
  { after, limit }: Keyset,
  reader: Reader,
): Promise<ListedFollowee[]> =>
  sql.rows(statements.pages, [
    ...reader,
    userIds,
    kinds,
    startsWith,
    after?.[0] ?? null,
    after?.[1] ?? null,
    after?.[2] ?? null,
    limit + 1,
  ]);

/** How many of it there are, by user. */
export const countsOfFollowees = (
  sql: Sql,
  userIds: readonly string[],
  { kinds, startsWith }: FolloweeChoice,
  reader: Reader,
): Promise<{ id: string; n: number }[]> => sql.rows(statements.counts, [...reader, userIds, kinds, startsWith]);
