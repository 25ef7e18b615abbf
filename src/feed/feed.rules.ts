/** Visibility of changes for a reader (docs/decisions/0016), in the graph's terms. */
import { type CatalogError, invalidField } from '../kernel/errors.ts';
import type { LoggedChange, Readers } from '../kernel/feed.ts';
import { toGlobalId } from '../kernel/ids.ts';

const OPERATIONS = {
  created: 'CREATED',
  updated: 'UPDATED',
  deleted: 'DELETED',
  restored: 'RESTORED',
  purged: 'PURGED',
} as const;
export type ChangeOperation = (typeof OPERATIONS)[keyof typeof OPERATIONS] | 'HIDDEN';

/** Kinds of objects in the log, and in the graph: the word for filters, and the object's type. */
const KINDS = {
  dataset: ['DATASET', 'Dataset'],
  group: ['GROUP', 'Group'],
  organization: ['ORGANIZATION', 'Organization'],
  user: ['USER', 'User'],
  tag: ['TAG', 'Tag'],
  vocabulary: ['VOCABULARY', 'Vocabulary'],
  related: ['RELATED_ITEM', 'RelatedItem'],
  view: ['VIEW', 'ResourceView'],
  table: ['TABLE', 'Resource'],
  rating: ['RATING', 'Dataset'],
  translation: ['TRANSLATION', null],
  setting: ['SETTING', null],
} as const;
export type ChangeObjectType = (typeof KINDS)[keyof typeof KINDS][0];

const TYPENAMES = new Map<ChangeObjectType, string | null>(Object.values(KINDS));

/** The GraphQL type name of a change's object; null if the graph has none. */
export const typenameOf = (type: ChangeObjectType): string | null => TYPENAMES.get(type) ?? null;

/** Kinds whose type is that of another object. */
const PARTS: ReadonlySet<ChangeObjectType> = new Set(['TABLE', 'RATING']);

/** Global id of a change's own object; null if it has none. */
export function globalIdOf(kind: ChangeObjectType, id: string): string | null {
  const type = PARTS.has(kind) ? null : typenameOf(kind);
  return type && toGlobalId(type, id);
}

const LOGGED = new Map<ChangeObjectType, string>(Object.entries(KINDS).map(([logged, [type]]) => [type, logged]));

/** The log's name of a kind of objects. */
export const loggedKind = (type: ChangeObjectType): string => LOGGED.get(type)!;

/** The graph's name of a logged kind. */
export const kindOf = (logged: string): ChangeObjectType => KINDS[logged as keyof typeof KINDS][0];

/** Maximum seconds that a caller may wait for a change. */
const MAX_WAIT = 60;

/** @throws CatalogError VALIDATION */
export function checkWait(wait: number): void {
  if (wait < 0 || wait > MAX_WAIT) throw invalidField('wait', `Must be between 0 and ${MAX_WAIT} seconds`);
}

export const aheadOfLog = (): CatalogError =>
  invalidField(
    'after',
    'The cursor is newer than the log: the catalog was reset, or the cursor is from another catalog. Start again without a cursor',
  );

/** Objects that are their own subject: their present name is used. */
const NAMED: ReadonlySet<string> = new Set(['dataset', 'group', 'organization', 'user']);

/** A change as one reader sees it. */
export interface VisibleChange {
  readonly position: number;
  readonly at: Date;
  readonly operation: ChangeOperation;
  readonly objectType: ChangeObjectType;
  readonly objectId: string;
  /** Whether the reader may no longer read the object: all other fields are hidden then. */
  readonly isGone: boolean;
  readonly name: string | null;
  readonly datasetId: string | null;
  readonly actorId: string | null;
  readonly revisionId: string | null;
  /** Organizations that owned the dataset before or after the change, as far as the reader could see the dataset. */
  readonly owners: readonly string[];
}

/** Conditions on changes, all of which hold; by id. */
export interface ChangeChoice {
  readonly types?: readonly ChangeObjectType[] | null;
  readonly dataset?: string | null;
  readonly organization?: string | null;
  readonly group?: string | null;
  readonly actor?: string | null;
  readonly since?: Date | null;
  readonly until?: Date | null;
}

/**
 * Whether a visible change fits. A group matches every dataset that a reader can no longer read: its groups are hidden,
 * and clients must remove their copy.
 */
export function fits(choice: ChangeChoice, { datasetId, groups }: LoggedChange, visible: VisibleChange): boolean {
  const { types, dataset, organization, group, actor, since, until } = choice;
  const { objectId, objectType, isGone, owners, actorId, at } = visible;
  const isIn = () => objectId === group || (isGone ? datasetId !== null : groups.includes(group!));
  return (
    (!types || types.includes(objectType)) &&
    (dataset == null || datasetId === dataset) &&
    (organization == null || objectId === organization || owners.includes(organization)) &&
    (group == null || isIn()) &&
    (actor == null || actorId === actor) &&
    (!since || at >= since) &&
    (!until || at <= until)
  );
}

/**
 * The visible part of a change. All of it, if the reader could read the object after the change and still can. Only
 * type and id, if the reader could read it before the change but not after: these were known. Null for all other
 * readers.
 */
export function visibleChange(change: LoggedChange, may: (readers: Readers) => boolean): VisibleChange | null {
  const { position, at, objectId, datasetId, actorId, revisionId, subject } = change;
  if (!Object.hasOwn(OPERATIONS, change.action)) return null; // a note about the object, which did not change
  const [objectType] = KINDS[change.objectType as keyof typeof KINDS];
  const operation = OPERATIONS[change.action as keyof typeof OPERATIONS];
  const isKnown = may(change.after);
  const wasKnown = change.before === change.after ? isKnown : may(change.before);
  const isRemoval = operation === 'DELETED' || operation === 'PURGED';
  const owners = [...(isKnown ? ownerOf(change.after) : []), ...(wasKnown ? ownerOf(change.before) : [])];
  if (!isKnown) {
    if (!wasKnown) return null;
    const gone = { name: null, datasetId: null, actorId: null, revisionId: null };
    return {
      position,
      at,
      operation: isRemoval ? operation : 'HIDDEN',
      objectType,
      objectId,
      isGone: true,
      ...gone,
      owners,
    };
  }
  if (!may(subject.readers)) return null;
  return {
    position,
    at,
    operation: wasKnown || isRemoval ? operation : 'CREATED',
    objectType,
    objectId,
    isGone: false,
    name: (NAMED.has(change.objectType) ? subject.name : null) ?? change.label,
    datasetId,
    actorId,
    revisionId,
    owners,
  };
}

const ownerOf = (readers: Readers): string[] =>
  readers?.of === 'dataset' && readers.ownerOrganizationId !== null ? [readers.ownerOrganizationId] : [];
