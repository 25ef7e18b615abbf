/** Stores the local object of each record of a source. */
import type { Prisma } from '../../generated/prisma/client.ts';
import type { Db } from '../../infra/postgres/db.ts';

export type RecordKind = 'dataset' | 'organization' | 'group' | 'vocabulary';

const KNOWN_SELECT = {
  sourceId: true,
  kind: true,
  recordId: true,
  recordName: true,
  objectId: true,
  isOurs: true,
  state: true,
  writtenAt: true,
} satisfies Prisma.HarvestRecordSelect;

type Row = Prisma.HarvestRecordGetPayload<{ select: typeof KNOWN_SELECT }>;
export type KnownRecord = Omit<Row, 'kind' | 'state'> & {
  readonly kind: RecordKind;
  readonly state: 'here' | 'gone' | 'failed';
};

/** Those of these records with a local object, unordered. */
export const findSeveralKnown = async (
  db: Db,
  sourceId: string,
  kind: RecordKind,
  recordIds: readonly string[],
): Promise<KnownRecord[]> =>
  (await db.harvestRecord.findMany({
    where: { sourceId, kind, recordId: { in: [...recordIds] } },
    select: KNOWN_SELECT,
  })) as KnownRecord[];

export const findKnown = async (
  db: Db,
  sourceId: string,
  kind: RecordKind,
  recordId: string,
): Promise<KnownRecord | null> => (await findSeveralKnown(db, sourceId, kind, [recordId]))[0] ?? null;

export async function putKnown(db: Db, known: KnownRecord): Promise<void> {
  const { sourceId, kind, recordId, ...update } = known;
  const where = { sourceId_kind_recordId: { sourceId, kind, recordId } };
  await db.harvestRecord.upsert({ where, create: known, update, select: { recordId: true } });
}

/** Those of these ids that belong to resources of other datasets. */
export async function resourcesElsewhere(
  db: Db,
  ids: readonly string[],
  datasetId: string | null,
): Promise<Set<string>> {
  const where = { id: { in: [...ids] }, ...(datasetId !== null && { datasetId: { not: datasetId } }) };
  return new Set((await db.resource.findMany({ where, select: { id: true } })).map(({ id }) => id));
}

export const isDatasetId = async (db: Db, id: string): Promise<boolean> =>
  (await db.dataset.findUnique({ where: { id }, select: { id: true } })) !== null;

const ORIGIN_SELECT = {
  objectId: true,
  sourceId: true,
  source: { select: { title: true } },
  recordId: true,
  recordName: true,
  state: true,
  writtenAt: true,
} satisfies Prisma.HarvestRecordSelect;

/** Origin of a dataset. */
export type OriginRecord = Prisma.HarvestRecordGetPayload<{ select: typeof ORIGIN_SELECT }>;

/** Origins of harvested datasets, by dataset. Of several, a source that still has the dataset wins, then the latest write. */
export async function originsOf(db: Db, datasetIds: readonly string[]): Promise<Map<string, OriginRecord>> {
  const origins = await db.harvestRecord.findMany({
    where: { kind: 'dataset', isOurs: true, objectId: { in: [...datasetIds] } },
    orderBy: { writtenAt: 'asc' },
    select: ORIGIN_SELECT,
    relationLoadStrategy: 'join',
  });
  const [gone, there] = [origins.filter(isGone), origins.filter((origin) => !isGone(origin))];
  return new Map([...gone, ...there].map((origin) => [origin.objectId!, origin]));
}

const isGone = ({ state }: OriginRecord): boolean => state === 'gone';
