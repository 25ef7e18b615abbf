/** Management of webhooks by their owners. */
import { userLock, userShow } from '../accounts/user/user.service.ts';
import { organizationOf } from '../catalog/group/group.service.ts';
import {
  type ChangeObjectType,
  cursorAt,
  endOfLog,
  kindOf,
  loggedKind,
  positionOfCursor,
} from '../feed/feed.service.ts';
import { type Call, inTransaction } from '../kernel/call.ts';
import { type Connection, connection, keyset, type PageArgs } from '../kernel/connection.ts';
import { allow, CatalogError, checkVersion, notFound, refuse } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { inOrder } from '../kernel/node.ts';
import { newWebhookSecret } from './signature.ts';
import { mayCreateWebhook, mayManageWebhook, mayUseWebhooks } from './webhook.policy.ts';
import { checkOverlap, checkWebhook, USUAL_BATCH } from './webhook.rules.ts';
import { notifyDispatchers, renewDeadLetters } from './webhook.sql.ts';
import {
  countWebhooks,
  insertWebhook,
  lockWebhook,
  moveCursor,
  pageOfWebhooks,
  removeWebhook,
  renewMessage,
  rotateSecret,
  type State,
  tryAtOnce,
  updateWebhook,
  type WebhookRecord,
  type WebhookSettings,
  webhooksByIds,
} from './webhook.store.ts';

export { cursorAt };
export type WebhookPage = Connection<WebhookRecord>;

type Maybe<T> = T | null | undefined;

/** Fields of both inputs. */
interface WebhookFields {
  readonly name?: Maybe<string>;
  readonly types?: Maybe<readonly ChangeObjectType[]>;
  /** Id or name. */
  readonly organization?: Maybe<string>;
  readonly batchSize?: Maybe<number>;
  /** Cursor of the log. */
  readonly after?: Maybe<string>;
}

export interface CreateWebhookInput extends WebhookFields {
  readonly url: string;
}

export interface UpdateWebhookInput extends WebhookFields {
  readonly webhook: string;
  readonly url?: Maybe<string>;
  readonly paused?: Maybe<boolean>;
  readonly expectedVersion?: Maybe<number>;
}

/** Kinds in the graph's terms; null for all. */
export const typesOf = ({ types }: WebhookRecord): ChangeObjectType[] | null => types?.map(kindOf) ?? null;

/** One webhook. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED */
export async function webhookShow(call: Call, id: string): Promise<WebhookRecord> {
  allow(mayUseWebhooks(call.actor));
  const [found] = await webhookNodes(call, [id]);
  if (!found) throw notFound('no webhook has this id');
  return found;
}

/** In the order of `ids`; null for an unknown webhook or one that the caller may not manage. */
export async function webhookNodes(call: Call, ids: readonly string[]): Promise<(WebhookRecord | null)[]> {
  if (mayUseWebhooks(call.actor) !== null) return ids.map(() => null);
  const found = (await webhooksByIds(call.db, ids)).filter(
    ({ userId }) => mayManageWebhook(call.actor, userId) === null,
  );
  return inOrder(ids, found, ({ id }) => id);
}

/** Webhooks that the caller may manage, or a user's, oldest first. @throws CatalogError NOT_AUTHORIZED, NOT_FOUND, VALIDATION, LIMIT */
export async function webhookConnection(call: Call, args: PageArgs & { user?: Maybe<string> }): Promise<WebhookPage> {
  allow(mayUseWebhooks(call.actor));
  const page = keyset(args, ['number'], call.settings['catalog.limits.rows']);
  const ownerId = args.user == null ? ownOf(call) : (await userShow(call, args.user)).id;
  if (ownerId !== null) allow(mayManageWebhook(call.actor, ownerId));
  const rows = await pageOfWebhooks(call.db, ownerId, page);
  return connection(
    rows,
    page,
    ({ number }) => [number],
    () => countWebhooks(call.db, ownerId),
  );
}

const ownOf = ({ actor }: Call): string | null => (actor.sysadmin ? null : actor.userId);

/** Creates a webhook; its secret is in the result, only this once. @throws CatalogError NOT_AUTHORIZED, VALIDATION, LIMIT */
export async function webhookCreate(call: Call, input: CreateWebhookInput): Promise<WebhookRecord> {
  allow(mayCreateWebhook(call.actor));
  const userId = call.actor.userId!;
  const position = input.after == null ? await endOfLog(call) : await positionOfCursor(call, input.after);
  const settings = await checked(call, input, { ...NEW, url: input.url }, true);
  return inTransaction(call, async (call) => {
    await userLock(call, userId); // two concurrent requests cannot exceed the limit
    await checkNumber(call, userId);
    const newSecret = newWebhookSecret();
    const secret = call.secrets.secretBox.seal(newSecret);
    const made = { ...settings, id: newId(), userId, secret, cursor: position, createdAt: call.request.now };
    const webhook = await insertWebhook(call.db, made);
    await notifyDispatchers(call.sql);
    return { ...webhook, newSecret };
  });
}

const NEW = { name: '', types: null, organizationId: null, batchSize: USUAL_BATCH, state: 'active' as State };

async function checkNumber({ db, actor, settings }: Call, userId: string): Promise<void> {
  const max = settings['catalog.webhooks.per_user'];
  if (!actor.sysadmin && (await countWebhooks(db, userId)) >= max)
    throw new CatalogError('LIMIT', `A user can have at most ${max} webhooks (catalog.webhooks.per_user)`);
}

/** Changes the fields in the input. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, CONFLICT */
export async function webhookUpdate(call: Call, input: UpdateWebhookInput): Promise<WebhookRecord> {
  await webhookShow(call, input.webhook);
  const position = input.after == null ? null : await positionOfCursor(call, input.after);
  return inTransaction(call, async (call) => {
    const before = await locked(call, input);
    const state = stateOf(before.state, input.paused);
    // Pausing or renaming a webhook does not check its URL; changing the URL or resuming does.
    const isSent = input.url != null || input.paused === false;
    const after = await checked(call, input, { ...before, url: input.url ?? before.url, state }, isSent);
    if (position !== null) await moveCursor(call.db, before.id, position);
    if (changesMessages(after, before)) {
      await renewDeadLetters(call.sql, before.id);
      await renewMessage(call.db, before.id);
    }
    if (after.url !== before.url || input.paused === false) await tryAtOnce(call.db, before.id);
    const webhook = await updateWebhook(call.db, before.id, after);
    await notifyDispatchers(call.sql);
    return webhook;
  });
}

/** Whether the new settings make other messages from the same part of the log. */
const changesMessages = (after: WebhookSettings, before: WebhookSettings): boolean =>
  JSON.stringify([after.types?.toSorted(), after.organizationId, after.batchSize]) !==
  JSON.stringify([before.types?.toSorted(), before.organizationId, before.batchSize]);

const stateOf = (before: State, paused: Maybe<boolean>): State =>
  paused == null ? before : paused ? 'paused' : 'active';

/** The validated input, with stored values for omitted fields. */
async function checked(
  call: Call,
  { name, types, organization, batchSize }: WebhookFields,
  before: WebhookSettings,
  isAddressChecked: boolean,
): Promise<WebhookSettings> {
  const url = before.url.trim();
  const settings = {
    url,
    name: (name === undefined ? before.name : name?.trim()) || hostOf(url),
    types: types === undefined ? before.types : types && [...new Set(types.map(loggedKind))],
    batchSize: batchSize === undefined ? before.batchSize : (batchSize ?? USUAL_BATCH),
    state: before.state,
  };
  refuse(
    checkWebhook({ ...settings, url: isAddressChecked ? url : null }, call.settings['catalog.webhooks.allowed_hosts']),
  );
  const organizationId = organization === undefined ? before.organizationId : await organizationOf(call, organization);
  return { ...settings, organizationId };
}

/** The default name of a webhook. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host.slice(0, 100) : '');

interface Named {
  readonly webhook: string;
  readonly expectedVersion?: Maybe<number>;
}

async function locked(call: Call, { webhook: id, expectedVersion }: Named): Promise<WebhookRecord> {
  allow(mayUseWebhooks(call.actor));
  const found = await lockWebhook(call, id);
  if (!found || mayManageWebhook(call.actor, found.userId) !== null) throw notFound('no webhook has this id');
  checkVersion('The webhook', found.version, expectedVersion);
  return found;
}

/** Deletes a webhook and returns its id. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, CONFLICT */
export const webhookDelete = (call: Call, input: Named): Promise<string> =>
  inTransaction(call, async (call) => {
    const { id } = await locked(call, input);
    await removeWebhook(call.db, id);
    return id;
  });

/**
 * Rotates a webhook's secret; the new one is in the result, only this once. @throws CatalogError NOT_FOUND,
 * NOT_AUTHORIZED, VALIDATION, CONFLICT
 */
export const webhookRotate = (call: Call, input: Named & { overlap?: Maybe<number> }): Promise<WebhookRecord> =>
  inTransaction(call, async (call) => {
    const webhook = await locked(call, input);
    const hours = input.overlap ?? USUAL_OVERLAP;
    refuse(checkOverlap(hours));
    const newSecret = newWebhookSecret();
    const until = hours > 0 ? new Date(call.request.now.getTime() + hours * HOUR) : null;
    return { ...(await rotateSecret(call.db, webhook, call.secrets.secretBox.seal(newSecret), until)), newSecret };
  });

/** Default hours in which both secrets are valid. */
const USUAL_OVERLAP = 24;
const HOUR = 60 * 60_000;

/** When the previous secret expires; null without one, or after its expiry. */
export const previousSecretUntil = ({ secretBeforeUntil }: WebhookRecord, now: Date): Date | null =>
  secretBeforeUntil !== null && secretBeforeUntil > now ? secretBeforeUntil : null;
