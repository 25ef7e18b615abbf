/** Stores harvest sources. */
import type { Prisma } from '../../generated/prisma/client.ts';
import type { Db } from '../../infra/postgres/db.ts';
import { lockRow } from '../../infra/postgres/row-lock.sql.ts';
import type { Call } from '../../kernel/call.ts';
import type { Keyset } from '../../kernel/connection.ts';
import { idWins } from '../../kernel/node.ts';
import { pageBy } from '../../kernel/pages.ts';

/** Rate limit and trust of a source. Omitted settings have their defaults. */
export type SourceSettings = {
  /** Maximum requests per second. */
  readonly perSecond?: number;
  /** Maximum percentage of the source's datasets that may disappear at once. */
  readonly goneAtMost?: number;
  /** Whether the source takes over existing objects with the same id. */
  readonly adopt?: boolean;
};

const SOURCE_SELECT = {
  id: true,
  name: true,
  title: true,
  url: true,
  kind: true,
  organizationId: true,
  organization: { select: { name: true } },
  userId: true,
  user: { select: { name: true } },
  apiKey: true,
  every: true,
  settings: true,
  readUntil: true,
  version: true,
  createdAt: true,
} satisfies Prisma.HarvestSourceSelect;

type Source = Prisma.HarvestSourceGetPayload<{ select: typeof SOURCE_SELECT }>;
export type SourceRecord = Omit<Source, 'settings'> & { readonly settings: SourceSettings };

const QUERY = { select: SOURCE_SELECT, relationLoadStrategy: 'join' } as const;

const findMany = async (db: Db, args: Omit<Prisma.HarvestSourceFindManyArgs, 'select' | 'include'>) =>
  (await db.harvestSource.findMany({ ...args, ...QUERY })) as SourceRecord[];

/** By id or name. An id wins over a name. Null when there is none. */
export async function findSource(db: Db, idOrName: string): Promise<SourceRecord | null> {
  const found = await findMany(db, { where: { OR: [{ id: idOrName }, { name: idOrName }] } });
  return idWins(found, idOrName);
}

/** The oldest source with this address; null when there is none. */
export const findSourceByUrl = async (db: Db, url: string): Promise<SourceRecord | null> =>
  (await findMany(db, { where: { url }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }], take: 1 }))[0] ?? null;

export const insertSource = async (db: Db, data: Prisma.HarvestSourceUncheckedCreateInput): Promise<SourceRecord> =>
  (await db.harvestSource.create({ data, ...QUERY })) as SourceRecord;

/** Organizations whose sources are requested; null for all sources. */
export type OfOrganizations = readonly string[] | null;

const ownedBy = (of: OfOrganizations): Prisma.HarvestSourceWhereInput =>
  of === null ? {} : { organizationId: { in: [...of] } };

/** In any order. */
export const sourcesByIds = (db: Db, ids: readonly string[]): Promise<SourceRecord[]> =>
  findMany(db, { where: { id: { in: [...ids] } } });

/** A page by name, one more than its limit, in reading order. */
export function listSources(db: Db, of: OfOrganizations, page: Keyset): Promise<SourceRecord[]> {
  const { where, ...rest } = pageBy([{ column: 'name' }], page);
  return findMany(db, { where: { ...ownedBy(of), ...where }, ...rest });
}

export const countSources = (db: Db, of: OfOrganizations): Promise<number> =>
  db.harvestSource.count({ where: ownedBy(of) });

/** Locks a source until the transaction ends, and reads it; null when there is none. */
export const lockSource = async ({ db, sql }: Pick<Call, 'db' | 'sql'>, id: string): Promise<SourceRecord | null> =>
  (await lockRow(sql, 'harvest_source', id)) ? ((await sourcesByIds(db, [id]))[0] ?? null) : null;

export const updateSource = async (
  db: Db,
  id: string,
  changes: Prisma.HarvestSourceUncheckedUpdateInput,
): Promise<SourceRecord> =>
  (await db.harvestSource.update({
    where: { id },
    data: { ...changes, version: { increment: 1 } },
    ...QUERY,
  })) as SourceRecord;

export const deleteSource = async (db: Db, id: string): Promise<void> =>
  void (await db.harvestSource.deleteMany({ where: { id } }));

/** Records the moment up to which the source's changes are read; null to read the whole source again. */
export const setReadUntil = async (db: Db, id: string, readUntil: string | null): Promise<void> =>
  void (await db.harvestSource.updateMany({ where: { id }, data: { readUntil } }));
