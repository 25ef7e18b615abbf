/** Reads names and times of datasets. */
import type { DatasetDocument } from '../../../generated/prisma/client.ts';
import type { Db } from '../../../infra/postgres/db.ts';

/** Name of a dataset, and time of its last change. */
export type Stamp = Readonly<Pick<DatasetDocument, 'name' | 'modifiedAt'>>;

/** Active public datasets by time of the last change, in the order of dataset_document_public_modified, read backwards. */
export const listStamps = (db: Db, take: number, skip: number): Promise<Stamp[]> =>
  db.datasetDocument.findMany({
    where: { state: 'active', private: false },
    select: { name: true, modifiedAt: true },
    orderBy: [{ modifiedAt: 'asc' }, { datasetId: 'desc' }],
    take,
    skip,
  });
