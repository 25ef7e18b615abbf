/** Resolves the references in a group's input and reports all problems at once. */
import type { Call } from '../../kernel/call.ts';
import type { Problem } from '../../kernel/errors.ts';
import { readerOf } from '../document/readable.ts';
import type { GroupLists } from './group.draft.ts';
import { checkCapacities, checkExtras, checkGroupId, checkGroupName, checkWord } from './group.rules.ts';
import { findTaken, type GroupRecord } from './group.store.ts';
import { groupsBelow } from './references.sql.ts';
import { requestedDatasets, requestedParents, requestedUsers } from './references.store.ts';
import type { Pairs } from './write.sql.ts';

/** The lists by id or key; null: unchanged. */
export interface RequestedLists {
  readonly extras: Pairs | null;
  readonly users: Pairs | null;
  readonly parents: Pairs | null;
  readonly datasets: readonly string[] | null;
}

/** Default capacity; it grants nothing. */
const NO_CAPACITY = 'public';

export async function checkInput(
  call: Call,
  row: GroupRecord,
  lists: GroupLists,
  existing: GroupRecord | null,
  ownId: string | null,
): Promise<{ requested: RequestedLists; problems: Problem[] }> {
  const [users, parents, datasets] = [
    await findUsers(call, lists),
    await findParents(call, lists, existing),
    await findDatasets(call, lists),
  ];
  const problems = [
    ...(await nameProblems(call, row, existing, ownId)),
    ...(['type', 'approvalStatus', 'state'] as const).flatMap((field) => checkWord([field], row[field])),
    ...checkExtras(lists.extras ?? []),
    ...checkCapacities('users', lists.users ?? []),
    ...checkCapacities('parents', lists.parents ?? []),
    ...parents.problems,
    ...datasets.problems,
  ];
  const extras = lists.extras && new Map(lists.extras.map(({ key, value }) => [key, value]));
  return { requested: { extras, users, parents: parents.pairs, datasets: datasets.ids }, problems };
}

async function nameProblems(
  call: Call,
  row: GroupRecord,
  existing: GroupRecord | null,
  ownId: string | null,
): Promise<Problem[]> {
  const renamed = existing?.name !== row.name;
  const named = renamed ? checkGroupName(row.name, existing === null) : null;
  const owned = ownId === null ? null : checkGroupId(ownId);
  const texts = [renamed && named === null ? row.name : null, owned === null ? ownId : null].filter(
    (text): text is string => text !== null,
  );
  const others = texts.length === 0 ? [] : (await findTaken(call.db, texts)).filter(({ id }) => id !== existing?.id);
  const taken = (text: string | null): boolean => others.some(({ id, name }) => id === text || name === text);
  return [
    { path: ['name'], message: named ?? (renamed && taken(row.name) ? 'Group name already exists in database' : null) },
    { path: ['databaseId'], message: owned ?? (taken(ownId) ? 'Group id already exists in database' : null) },
  ].filter((problem): problem is { path: string[]; message: string } => problem.message !== null);
}

async function findUsers(call: Call, { users }: GroupLists): Promise<Pairs | null> {
  const found = await requestedUsers(
    call,
    (users ?? []).map(({ user }) => user),
  );
  return (
    users &&
    pairs(
      users.map(({ user, capacity }) => [user, capacity]),
      found,
    )
  );
}

async function findParents(
  call: Call,
  { parents }: GroupLists,
  existing: GroupRecord | null,
): Promise<{ pairs: Pairs | null; problems: Problem[] }> {
  if (!parents?.length) return { pairs: parents && new Map(), problems: [] };
  const below = existing ? await groupsBelow(call.sql, existing.id) : new Set<string>();
  const found = await requestedParents(
    call,
    parents.map(({ parent }) => parent),
  );
  const problems = parents.flatMap(({ parent }, index): Problem[] =>
    below.has(found.get(parent) ?? '')
      ? [
          {
            path: ['parents', index, 'parent'],
            message: 'A group cannot be a parent of itself or of its own parents',
          },
        ]
      : [],
  );
  return {
    pairs: pairs(
      parents.map(({ parent, capacity }) => [parent, capacity]),
      found,
    ),
    problems,
  };
}

async function findDatasets(
  call: Call,
  { datasets }: GroupLists,
): Promise<{ ids: string[] | null; problems: Problem[] }> {
  if (!datasets) return { ids: null, problems: [] };
  const found = await requestedDatasets(call, datasets, readerOf(call.actor));
  const problems = datasets.flatMap((ref, index): Problem[] =>
    found.has(ref) ? [] : [{ path: ['datasets', index, 'id'], message: 'Not found: Dataset' }],
  );
  return { ids: [...new Set(datasets.flatMap((ref) => found.get(ref) ?? []))], problems };
}

/** Capacities by id. Unknown ids are dropped; the last of equal ids wins. */
const pairs = (
  items: readonly (readonly [reference: string, capacity?: string | null])[],
  found: ReadonlyMap<string, string>,
): Pairs =>
  new Map(
    items.flatMap(([reference, capacity]) =>
      found.has(reference) ? [[found.get(reference)!, capacity || NO_CAPACITY] as const] : [],
    ),
  );
