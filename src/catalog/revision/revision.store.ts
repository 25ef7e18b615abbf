/** Reads revisions that readable objects refer to. Lists and visibility: revision.sql.ts. */
import type { Prisma } from '../../generated/prisma/client.ts';
import { type ReadByKeys, readerBy } from '../../infra/postgres/by-keys.sql.ts';

export const REVISION_SELECT = {
  id: true,
  createdAt: true,
  author: true,
  authorId: true,
  message: true,
} satisfies Prisma.RevisionSelect;

/** Author, time and message of a revision. */
export type RevisionRecord = Readonly<Prisma.RevisionGetPayload<{ select: typeof REVISION_SELECT }>>;

/** Revisions by id, unordered. */
export const revisionsByIds: ReadByKeys<RevisionRecord> = readerBy<RevisionRecord>({
  table: 'revision',
  fields: REVISION_SELECT,
  by: ['id'],
});
