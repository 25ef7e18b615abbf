/** Reads documents to score and stored scores, and removes scores. */
import type { DatasetDocument, DatasetQuality, Prisma } from '../generated/prisma/client.ts';
import { type ReadByKeys, readerBy } from '../infra/postgres/by-keys.sql.ts';
import type { Db } from '../infra/postgres/db.ts';

export type QualityRow = DatasetQuality;

const SCORE = {
  datasetId: true,
  points: true,
  findability: true,
  accessibility: true,
  interoperability: true,
  reusability: true,
  contextuality: true,
  checks: true,
  faults: true,
  stars: true,
  scope: true,
  owner: true,
  version: true,
  scoredAt: true,
} satisfies Prisma.DatasetQualitySelect;

/** A document with the columns of its policy. */
export type ScoredDocument = Readonly<
  Pick<DatasetDocument, 'datasetId' | 'document' | 'state' | 'private' | 'ownerOrganizationId' | 'creatorId'>
>;

export const isAnyPending = async (db: Db): Promise<boolean> => (await db.qualityPending.findFirst()) !== null;

/** Documents of these datasets; those that are purged are missing. */
export const documentsOf = (db: Db, ids: string[]): Promise<ScoredDocument[]> =>
  db.datasetDocument.findMany({
    where: { datasetId: { in: ids } },
    select: {
      datasetId: true,
      document: true,
      state: true,
      private: true,
      ownerOrganizationId: true,
      creatorId: true,
    },
  });

/** Scores of these datasets; unordered. */
export const scoresOf: ReadByKeys<QualityRow> = readerBy<QualityRow>({
  table: 'dataset_quality',
  fields: SCORE,
  by: ['datasetId'],
  isShort: true,
});

export const removeScores = async (db: Db, ids: string[]): Promise<void> =>
  void (await db.datasetQuality.deleteMany({ where: { datasetId: { in: ids } } }));
