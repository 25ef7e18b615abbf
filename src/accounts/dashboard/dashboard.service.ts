/** A user's news, and which of it they have seen. */
import {
  type ActivityRow,
  activityConnection,
  activityNodes,
  newsCount,
} from '../../catalog/activity/activity.service.ts';
import type { Call } from '../../kernel/call.ts';
import type { Connection, PageArgs } from '../../kernel/connection.ts';
import { invalidField, notAuthorized } from '../../kernel/errors.ts';
import { markSeen } from './dashboard.sql.ts';
import { findSeen, type SeenRecord } from './dashboard.store.ts';

/** The backing type of Dashboard. */
export type DashboardRecord = SeenRecord;

/** The caller's dashboard. @throws CatalogError NOT_AUTHORIZED */
export async function dashboardOfCaller(call: Call): Promise<DashboardRecord> {
  const found = call.actor.userId === null ? null : await findSeen(call.db, call.actor.userId);
  if (!found) throw notAuthorized(SIGN_IN);
  return found;
}

const SIGN_IN = 'You must be logged in to access your dashboard.';

/** Marks all activities up to now, or up to one of them, as seen. @throws CatalogError NOT_AUTHORIZED, VALIDATION (unknown activity) */
export async function dashboardMarkSeen(
  call: Call,
  { activityId }: { activityId?: string | null },
): Promise<DashboardRecord> {
  const { userId } = call.actor;
  if (userId === null) throw notAuthorized(SIGN_IN);
  const newest = activityId == null ? null : (await activityNodes(call, [activityId]))[0];
  if (newest === null && activityId != null) throw invalidField('activityId', 'Not found: Activity');
  return markSeen(call.sql, userId, call.request.now, newest?.sequence ?? null);
}

/** Number of new activities, counted up to catalog.limits.rows. */
export const newActivityCount = (call: Call, { seen }: DashboardRecord): Promise<number> =>
  newsCount(call, { after: seen, before: null }, call.settings['catalog.limits.rows']);

type Loaders = Parameters<typeof activityConnection>[1];

/** A page of the dashboard. @throws CatalogError LIMIT, VALIDATION (cursor) */
export const dashboardActivities = (
  call: Call,
  loaders: Loaders,
  { userId }: DashboardRecord,
  args: PageArgs,
): Promise<Connection<ActivityRow>> => activityConnection(call, loaders, { kind: 'DASHBOARD', id: userId }, args);

/** Whether the activity is new to the caller: from another user, and newer than the last seen one. */
export async function isNew(
  { actor }: Call,
  loaders: { seenByUser: { load(userId: string): Promise<number> } },
  activity: ActivityRow,
): Promise<boolean> {
  if (actor.userId === null || activity.actorId === actor.userId) return false;
  return activity.sequence > (await loaders.seenByUser.load(actor.userId));
}
