/** Results of link checks by resource. */
import type { ResourceLink, ResourceLinkEvent } from '../generated/prisma/client.ts';
import { readerBy } from '../infra/postgres/by-keys.sql.ts';
import type { Db } from '../infra/postgres/db.ts';
import { inBatches } from '../infra/postgres/in-lists.ts';

export type Verdict = 'ok' | 'moved' | 'broken' | 'forbidden' | 'unknown';

/** The result of the last check of a resource's link. */
export interface LinkVerdict {
  readonly resourceId: string;
  readonly verdict: Verdict;
  /** From when on the verdict is this one. */
  readonly since: Date;
  readonly checkedAt: Date;
}

export type LinkEvent = ResourceLinkEvent;

const LINK = {
  resourceId: true,
  url: true,
  verdict: true,
  httpStatus: true,
  reason: true,
  finalUrl: true,
  redirects: true,
  size: true,
  mediaType: true,
  changedAt: true,
  checkedAt: true,
  since: true,
  lastOkAt: true,
  firstFailureAt: true,
  failures: true,
  requestedAt: true,
  nextAt: true,
} as const;

/** The size is a text: it may be beyond the range of a number. */
export type LinkRecord = Omit<Pick<ResourceLink, keyof typeof LINK>, 'size'> & { readonly size: string | null };

/** Links of these resources; unordered. */
export const linksByIds = readerBy<LinkRecord>({
  table: 'resource_link',
  fields: LINK,
  by: ['resourceId'],
  isShort: true,
});

/** Verdicts of the checked links among these resources. Resources without a link, or before its first check, are missing. */
export async function linkVerdicts(db: Db, resourceIds: readonly string[]): Promise<Map<string, LinkVerdict>> {
  const rows = await inBatches(resourceIds, (ids) =>
    db.resourceLink.findMany({
      where: { resourceId: { in: ids }, verdict: { not: null } },
      select: { resourceId: true, verdict: true, since: true, checkedAt: true },
    }),
  );
  return new Map(rows.map((row) => [row.resourceId, row as LinkVerdict]));
}

/** Changes of the results of these resources, newest first. */
export const linkEvents = (db: Db, resourceIds: readonly string[]): Promise<LinkEvent[]> =>
  inBatches(resourceIds, (ids) =>
    db.resourceLinkEvent.findMany({ where: { resourceId: { in: ids } }, orderBy: { number: 'desc' } }),
  );
