/** Manages harvest sources. */
import { organizationOf } from '../../catalog/group/group.service.ts';
import { type Call, inTransaction } from '../../kernel/call.ts';
import { type Connection, connection, keyset, type PageArgs } from '../../kernel/connection.ts';
import { allow, checkVersion, invalidField, notFound, refuse } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { inOrder } from '../../kernel/node.ts';
import { mayChangeSource, mayManageSource } from './source.policy.ts';
import { catalogAddress, checkSource, DEFAULT_MAX_GONE, DEFAULT_PER_SECOND, nameOf } from './source.rules.ts';
import {
  countSources,
  deleteSource,
  findSource,
  findSourceByUrl,
  insertSource,
  listSources,
  lockSource,
  type OfOrganizations,
  type SourceRecord,
  type SourceSettings,
  sourcesByIds,
  updateSource,
} from './source.store.ts';

export type { SourceRecord } from './source.store.ts';

type Maybe<T> = T | null | undefined;

export interface CreateSourceInput {
  /** Defaults to a name derived from the URL. */
  readonly name?: Maybe<string>;
  readonly title?: Maybe<string>;
  readonly url: string;
  readonly kind: 'CKAN' | 'DCAT';
  /** Id or name. */
  readonly organization?: Maybe<string>;
  readonly apiKey?: Maybe<string>;
  readonly every?: Maybe<number>;
  readonly perSecond?: Maybe<number>;
  readonly goneAtMost?: Maybe<number>;
  readonly adopt?: Maybe<boolean>;
}

/** One source by id, name or URL. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED */
export async function sourceShow(call: Call, named: string): Promise<SourceRecord> {
  const found =
    (await findSource(call.db, named)) ??
    (await findSourceByUrl(call.db, named.trim())) ??
    (await findSourceByUrl(call.db, catalogAddress(named)));
  if (!found) throw notFound('harvest source with this id, name or URL');
  allow(mayManageSource(call.actor, found.organizationId));
  return found;
}

/** Creates a source, which runs with the caller's permissions. @throws CatalogError NOT_AUTHORIZED, VALIDATION, CONFLICT */
export async function sourceCreate(call: Call, input: CreateSourceInput): Promise<SourceRecord> {
  const organizationId = await organizationOf(call, input.organization);
  allow(mayChangeSource(call.actor, organizationId));
  const url = input.kind === 'CKAN' ? catalogAddress(input.url) : input.url.trim();
  const name = input.name ?? (await freeName(call, nameOf(url)));
  const { every = null, perSecond = null, goneAtMost = null } = input;
  const title = input.title || name;
  refuse(checkSource({ name, title, url, every, perSecond, goneAtMost }));
  return inTransaction(call, async (call) => {
    if (await findSource(call.db, name)) throw invalidField('name', 'That name is already in use.');
    return insertSource(call.db, {
      id: newId(),
      name,
      title,
      url,
      kind: input.kind === 'CKAN' ? 'ckan' : 'dcat',
      organizationId,
      userId: call.actor.userId,
      apiKey: input.apiKey ? call.secrets.secretBox.seal(input.apiKey) : null,
      every,
      settings: settingsOf(input, {}),
      readUntil: null,
      createdAt: call.request.now,
    });
  });
}

/** The name, with a number appended when taken: several sources may share a host. */
async function freeName(call: Call, name: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}-${number}`;
    if (number > 1_000 || !(await findSource(call.db, free))) return free;
  }
}

export type SourcePage = Connection<SourceRecord>;

/** Sources the caller may manage, by name. @throws CatalogError VALIDATION, LIMIT */
export async function sourceConnection(call: Call, args: PageArgs): Promise<SourcePage> {
  const page = keyset(args, ['string'], call.settings['catalog.limits.rows']);
  const of = managed(call);
  const rows = await listSources(call.db, of, page);
  return connection(
    rows,
    page,
    ({ name }) => [name],
    () => countSources(call.db, of),
  );
}

/** Organizations whose sources the caller manages; null: all sources. */
const managed = ({ actor }: Call): OfOrganizations =>
  actor.sysadmin ? null : [...actor.capacities.keys()].filter((id) => mayManageSource(actor, id) === null);

/** In the order of `ids`; null for missing ones and those the caller may not manage. */
export async function sourceNodes(call: Call, ids: readonly string[]): Promise<(SourceRecord | null)[]> {
  const found = (await sourcesByIds(call.db, ids)).filter(
    ({ organizationId }) => mayManageSource(call.actor, organizationId) === null,
  );
  return inOrder(ids, found, ({ id }) => id);
}

export interface PatchSourceInput extends Partial<Omit<CreateSourceInput, 'url' | 'kind'>> {
  readonly source: string;
  readonly expectedVersion?: Maybe<number>;
  readonly url?: Maybe<string>;
}

/**
 * Changes the given settings. The source then writes with the caller's permissions, so a caller cannot use those of a more powerful user.
 * @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, VALIDATION, CONFLICT
 */
export async function sourcePatch(call: Call, input: PatchSourceInput): Promise<SourceRecord> {
  const { id } = await sourceShow(call, input.source);
  return inTransaction(call, async (call) => {
    const before = await lockAtVersion(call, id, input.expectedVersion);
    const organizationId =
      input.organization === undefined ? before.organizationId : await organizationOf(call, input.organization);
    for (const owner of [before.organizationId, organizationId]) allow(mayChangeSource(call.actor, owner));
    const after = { ...patched(call, input, before), organizationId, userId: call.actor.userId };
    const { perSecond = null, goneAtMost = null } = after.settings;
    refuse(checkSource({ ...after, perSecond, goneAtMost }));
    const other = after.name === before.name ? null : await findSource(call.db, after.name);
    if (other && other.id !== id) throw invalidField('name', 'That name is already in use.');
    return updateSource(call.db, id, after);
  });
}

/** A new URL drops the API key, which belongs to the old one, and the read state of the old source. */
function patched(call: Call, input: PatchSourceInput, before: SourceRecord) {
  const given = input.url ?? before.url;
  const url = before.kind === 'ckan' ? catalogAddress(given) : given.trim();
  const isElsewhere = url !== before.url;
  const name = input.name ?? before.name;
  const key = input.apiKey === undefined ? (isElsewhere ? null : undefined) : input.apiKey;
  return {
    name,
    title: input.title === undefined ? before.title : input.title || name,
    url,
    ...(key !== undefined && { apiKey: key ? call.secrets.secretBox.seal(key) : null }),
    every: input.every === undefined ? before.every : input.every,
    settings: settingsOf(input, before.settings),
    readUntil: isElsewhere ? null : before.readUntil,
  };
}

type Given = Pick<CreateSourceInput, 'perSecond' | 'goneAtMost' | 'adopt'>;

/** Null resets a setting to its default. */
function settingsOf(input: Given, before: SourceSettings): SourceSettings {
  const pick = <T>(given: Maybe<T>, current: T | undefined): T | undefined =>
    given === undefined ? current : (given ?? undefined);
  const requested = {
    perSecond: pick(input.perSecond, before.perSecond),
    goneAtMost: pick(input.goneAtMost, before.goneAtMost),
    adopt: pick(input.adopt, before.adopt),
  };
  return Object.fromEntries(Object.entries(requested).filter(([, value]) => value !== undefined));
}

/** The source to remove, and the version the caller has read. */
export interface DeleteSourceInput {
  readonly source: string;
  readonly expectedVersion?: Maybe<number>;
}

/** Removes a source. Returns its id. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED, CONFLICT (expectedVersion) */
export async function sourceDelete(call: Call, { source, expectedVersion }: DeleteSourceInput): Promise<string> {
  const { id } = await sourceShow(call, source);
  return inTransaction(call, async (call) => {
    const { organizationId } = await lockAtVersion(call, id, expectedVersion);
    allow(mayManageSource(call.actor, organizationId));
    await deleteSource(call.db, id);
    return id;
  });
}

/** @throws CatalogError NOT_FOUND, CONFLICT when `expectedVersion` differs */
async function lockAtVersion(call: Call, id: string, expectedVersion: Maybe<number>): Promise<SourceRecord> {
  const source = await lockSource(call, id);
  if (!source) throw notFound('no harvest source has this id');
  checkVersion('The source', source.version, expectedVersion);
  return source;
}

/** Maximum requests per second. */
export const perSecond = ({ settings }: SourceRecord): number => settings.perSecond ?? DEFAULT_PER_SECOND;
/** Maximum percentage of the source's datasets that one run may delete. */
export const goneAtMost = ({ settings }: SourceRecord): number => settings.goneAtMost ?? DEFAULT_MAX_GONE;
