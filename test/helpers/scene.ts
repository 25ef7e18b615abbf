/** Objects for attempts of the matrix, made on demand: a dataset in some state, and the objects that belong to it. */
import type { TestUser } from './make.ts';
import { MATRIX, type Role, type Scene, type State } from './matrix.ts';
import type { World } from './world.ts';

/** The maker of scenes, and the objects that all scenes share. */
export interface Stage {
  readonly world: World;
  readonly sysadmin: TestUser;
  /** The user to whom actions on users apply. */
  readonly other: TestUser;
  /** Ids of an organization, a group and a public dataset that all scenes share. */
  readonly stays: { readonly organization: string; readonly group: string; readonly anchor: string };
  /** Makes a new organization or group with its members. Returns its id. */
  readonly group: (kind: 'organization' | 'group') => Promise<string>;
}

/** Makes the users of the matrix, and an organization and a group with members, each below a parent. */
export async function createStage(world: World): Promise<{ users: Record<Role, TestUser | null>; stage: Stage }> {
  const { make, result } = world;
  const sysadmin = await make.sysadmin();
  const [deleted, other, member, editor, admin, above] = await Promise.all([1, 2, 3, 4, 5, 6].map(() => make.user()));
  await result('user_delete', { id: deleted!.id }, { as: sysadmin });
  const unknown = { ...other!, key: world.id() };
  const people = { deleted: deleted!, other: other!, member: member!, editor: editor!, admin: admin!, above: above! };
  const group = async (kind: 'organization' | 'group'): Promise<string> => {
    const top = await make[kind]({ members: { [above!.id]: 'admin' } });
    const members = { [member!.id]: 'member', [editor!.id]: 'editor', [admin!.id]: 'admin' } as const;
    const below = await make[kind]({ members });
    const parent = { id: below.id, object: top.id, object_type: 'group', capacity: 'parent' };
    await result('member_create', parent, { as: sysadmin });
    return below.id;
  };
  const [organization, inGroup] = [await group('organization'), await group('group')];
  const anchor = (await make.dataset({ ownerOrganization: organization })).id;
  const stage = { world, sysadmin, other: other!, stays: { organization, group: inGroup, anchor }, group };
  return { users: { anonymous: null, unknown, ...people, sysadmin }, stage };
}

/** A mark that every text of a dataset in this state contains. */
export const markOf = (state: State): string => `zz-${state}-mark`;

/** A complete scene, for attempts that change nothing. */
export async function wholeScene(stage: Stage, state: State): Promise<Scene> {
  const parts = partsOf(stage, state, '');
  const scene: Record<string, string> = {};
  for (const [part, make] of Object.entries(parts)) scene[part] = await make();
  await fillTable(stage, scene.resource!, state);
  return scene as unknown as Scene;
}

/** A separate scene for one attempt of an action, with only the objects that its parameters name. It has new objects to delete. */
export async function sceneOf(stage: Stage, state: State, action: string): Promise<Scene> {
  const parts = partsOf(stage, state, action);
  const scene: Record<string, string> = {};
  for (const part of namedBy(action)) scene[part] = await parts[part]();
  if (action.startsWith('datastore_') && scene.resource) await fillTable(stage, scene.resource, state);
  if (/^package_relationship_(update|delete)/.test(action)) {
    const { world, sysadmin, stays } = stage;
    const related = { subject: scene.dataset, object: stays.anchor, type: 'links_to' };
    await world.result('package_relationship_create', related, { as: sysadmin });
  }
  return scene as unknown as Scene;
}

/** Makes a table of the resource in the DataStore, with one row. */
async function fillTable({ world, sysadmin }: Stage, resource: string, state: State): Promise<void> {
  const table = { resource_id: resource, force: true, records: [{ a: markOf(state) }] };
  await world.result('datastore_create', table, { as: sysadmin });
}

/** The parts of a scene that the parameters of an action read. */
function namedBy(action: string): Set<keyof Scene> {
  const named = new Set<keyof Scene>();
  const get = (_: object, part: keyof Scene): string => {
    named.add(part);
    return '';
  };
  const reader = new Proxy({}, { get });
  MATRIX[action]!.params(reader as Scene);
  return named;
}

function partsOf({ world, sysadmin, other, stays, group }: Stage, state: State, action: string) {
  const { make, result } = world;
  const as = { as: sysadmin };
  const mark = markOf(state);
  const made = once(() =>
    make.dataset({
      title: mark,
      notes: mark,
      state: { draft: 'draft', deleted: 'deleted' }[state as string] ?? 'active',
      private: state === 'private',
      ownerOrganization: state === 'unowned' ? null : stays.organization,
      groups: [{ id: stays.group }],
      tags: [{ name: mark }],
      resources: [{ url: `http://example.com/${mark}.png`, name: mark, format: mark, description: mark }],
    }),
  );
  const resource = async () => (await made()).body.resources[0]!.id;
  const vocabulary = once(() => make.vocabulary());
  const idOf = async (name: string, params: object): Promise<string> => (await result(name, { ...params }, as)).id;
  const groupFor = async (kind: 'organization' | 'group') =>
    new RegExp(`^(${kind}_|member_|user_role)`).test(action) ? group(kind) : stays[kind];
  const parts: Record<keyof Scene, () => Promise<string>> = {
    unique: async () => `u-${world.id()}`,
    dataset: async () => (await made()).id,
    resource,
    view: async () =>
      idOf('resource_view_create', { resource_id: await resource(), title: mark, view_type: 'image_view' }),
    related: async () => idOf('related_create', { dataset_id: (await made()).id, title: mark, type: 'idea' }),
    revision: async () => (await made()).body.revision_id,
    anchor: async () => stays.anchor,
    organization: () => groupFor('organization'),
    group: () => groupFor('group'),
    user: async () => (action === 'user_delete' ? await make.user() : other).id,
    tag: async () => idOf('tag_create', { name: `t-${world.id()}`, vocabulary_id: (await vocabulary()).id }),
    vocabulary: async () => (await vocabulary()).id,
    task: async () => {
      const about = { entity_id: await resource(), entity_type: 'resource', task_type: 'job' };
      return idOf('task_status_update', { ...about, key: mark, value: mark });
    },
    activity: async () => (await result('package_activity_list', { id: (await made()).id }, as)).at(-1)?.id,
    token: async () => {
      await result('api_token_create', { name: 'token' }, { as: other });
      return (await result('api_token_list', {}, { as: other, get: true })).at(-1).id;
    },
  };
  return parts;
}

/** Returns the same promise for every call. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
