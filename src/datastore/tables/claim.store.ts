/** Stores claims: resources whose table is in their source catalog. */
import type { Prisma } from '../../generated/prisma/client.ts';
import type { Db } from '../../infra/postgres/db.ts';

const CLAIM_SELECT = {
  resourceId: true,
  sourceId: true,
  recordId: true,
  state: true,
  version: true,
  fingerprint: true,
  message: true,
  resource: { select: { datastoreActive: true } },
} satisfies Prisma.TableClaimSelect;

export type ClaimRecord = Prisma.TableClaimGetPayload<{ select: typeof CLAIM_SELECT }>;

export type NewClaim = Pick<ClaimRecord, 'resourceId' | 'sourceId' | 'recordId' | 'version' | 'message'>;

/** Records the outcome of a claim. A null fingerprint leaves the stored one unchanged. */
export const endClaim = async (
  db: Db,
  { resourceId, state, fingerprint, message }: Pick<ClaimRecord, 'resourceId' | 'state' | 'fingerprint' | 'message'>,
  writtenAt: Date,
): Promise<void> =>
  void (await db.tableClaim.updateMany({
    where: { resourceId },
    data: { state, message, writtenAt, ...(fingerprint !== null && { fingerprint }) },
  }));

export const dropClaim = async (db: Db, resourceId: string): Promise<void> =>
  void (await db.tableClaim.deleteMany({ where: { resourceId } }));

/** Deletes the claims of imported resources. */
export const dropImportedClaims = async (db: Db, resourceIds: readonly string[]): Promise<void> =>
  void (await db.tableClaim.deleteMany({ where: { resourceId: { in: [...resourceIds] }, sourceId: null } }));

const findMany = (
  db: Db,
  where: Prisma.TableClaimWhereInput,
  resource: Prisma.ResourceWhereInput = {},
  take?: number,
): Promise<ClaimRecord[]> =>
  db.tableClaim.findMany({
    where: { ...where, resource: { ...resource, dataset: { state: 'active' } } },
    orderBy: { resourceId: 'asc' },
    ...(take !== undefined && { take }),
    select: CLAIM_SELECT,
    relationLoadStrategy: 'join',
  });

/** A page of a source's claims by resource id; `after` is empty for the first page. */
export const claimsAfter = (db: Db, sourceId: string, after: string, limit: number): Promise<ClaimRecord[]> =>
  findMany(db, { sourceId, resourceId: { gt: after } }, {}, limit);

/** Claims of these resources. */
export const claimsOf = (db: Db, resourceIds: readonly string[]): Promise<ClaimRecord[]> =>
  findMany(db, { resourceId: { in: [...resourceIds] } });

/** Claims of resources without a local table. */
export const unmetClaims = (db: Db): Promise<ClaimRecord[]> => findMany(db, {}, { datastoreActive: false });
