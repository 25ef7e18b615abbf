/** Sends users their news. Each user's news are read as that user, under the present policy. */
import { type ActivityRow, newsList, typeOf } from '../../catalog/activity/activity.service.ts';
import { isMailAddress } from '../../infra/mail.ts';
import { walk } from '../../kernel/all-pages.ts';
import type { Call } from '../../kernel/call.ts';
import { allow, CatalogError } from '../../kernel/errors.ts';
import { DAY } from '../../kernel/time.ts';
import { identifyUser } from '../identity/identity.service.ts';
import { userNodes } from '../user/user.service.ts';
import { digestMail, type News } from './digest.mail.ts';
import { maySendDigests } from './digest.policy.ts';
import { findHorizon } from './digest.sql.ts';
import { listRecipients, moveMailed, type Recipient } from './digest.store.ts';

/** Numbers of users whose e-mail was sent and failed. */
export interface DigestReport {
  readonly sent: number;
  readonly failed: number;
}

/** Users per batch, e-mails in parallel, and activities counted for one user. */
const BATCH = 100;
const AT_ONCE = 4;
const COUNTED = 100;

/** Sends every due digest once. @throws CatalogError NOT_AUTHORIZED, VALIDATION (disabled) */
export async function digestsSend(call: Call, { users }: { users?: readonly string[] | null }): Promise<DigestReport> {
  allow(maySendDigests(call.actor));
  if (!call.settings['catalog.activity_streams_email_notifications'])
    throw new CatalogError('VALIDATION', 'catalog.activity_streams_email_notifications is not enabled');
  const horizon = await findHorizon(call.sql);
  const report = { sent: 0, failed: 0 };
  const recipients = walk(
    BATCH,
    (after, size) => listRecipients(call.db, after, users ?? null, size),
    ({ id }) => id,
  );
  for await (const batch of recipients)
    for (let at = 0; at < batch.length; at += AT_ONCE) {
      const sending = batch.slice(at, at + AT_ONCE).map((recipient) => send(call, recipient, horizon));
      for (const outcome of await Promise.all(sending)) if (outcome) report[outcome] += 1;
    }
  return report;
}

/** Null without news, or if a concurrent call sends it. */
async function send(call: Call, to: Recipient, horizon: number): Promise<keyof DigestReport | null> {
  if (to.handledUntil >= horizon || !isMailAddress(to.email)) return null;
  const actor = await identifyUser(call, to.id);
  if (!actor) return null;
  const found = await newsList({ ...call, actor }, { after: to.handledUntil, before: horizon + 1 }, COUNTED + 1);
  const oldest = call.request.now.getTime() - call.settings['catalog.email_notifications_since'] * DAY;
  const recent = found.filter(({ happenedAt }) => happenedAt.getTime() > oldest);
  if (recent.length === 0) return null;
  // The call that moves the mark sends the mail; a failed mail moves it back.
  if (!(await moveMailed(call.db, to.id, to.mailed, horizon))) return null;
  const news = await newsFrom(call, recent.slice(0, COUNTED));
  const mail = digestMail(call.settings, to, news, recent.length > COUNTED);
  if (await call.process.mail.offer({ to: to.email, toName: to.displayName, ...mail })) return 'sent';
  await moveMailed(call.db, to.id, horizon, to.mailed);
  return 'failed';
}

async function newsFrom(call: Call, activities: readonly ActivityRow[]): Promise<News[]> {
  const ids = [...new Set(activities.flatMap(({ actorId }) => actorId ?? []))];
  const names = new Map((await userNodes(call, ids)).flatMap((user) => (user ? [[user.id, user.displayName]] : [])));
  return activities.map((activity) => ({
    type: typeOf(activity),
    actor: (activity.actorId !== null && names.get(activity.actorId)) || null,
    objectName: activity.detail.name ?? activity.objectId,
    objectTitle: activity.detail.title || activity.detail.name || activity.objectId,
  }));
}
