/**
 * Every action × every role × every state of a dataset, held against the matrix in test/helpers/matrix.ts; the same for downloads
 * and the graph. Whoever is refused learns nothing, and nobody finds in any list what they may not read.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { actions } from '../../facades/action/actions/index.ts';
import type { TestUser } from '../helpers/make.ts';
import { ALL, MATRIX, READ, ROLES, type Role, type Rule, type Scene, STATES, type State } from '../helpers/matrix.ts';
import { type Answered, createWorld, type World } from '../helpers/world.ts';

let world: World;
let users: Record<Role, TestUser | null>;
let stays: { organization: string; group: string; anchor: string };
/** One dataset of each state that no attempt changes. */
let shelf: Record<State, Scene>;

beforeAll(async () => {
  world = await createWorld({
    'catalog.auth.create_unowned_dataset': false,
    'catalog.auth.create_dataset_if_not_in_organization': false,
    'catalog.auth.user_create_groups': false,
    'catalog.auth.user_create_organizations': false,
    'catalog.action_api.status': 'http',
  });
  await world.datastore();
  const { make } = world;
  const sysadmin = await make.sysadmin();
  const [deleted, other, member, editor, admin, above] = await Promise.all(
    Array.from({ length: 6 }, () => make.user()),
  );
  await world.result('user_delete', { id: deleted!.id }, { as: sysadmin });
  const unknown = { ...other!, key: world.id() };
  users = {
    anonymous: null,
    unknown,
    deleted: deleted!,
    other: other!,
    member: member!,
    editor: editor!,
    admin: admin!,
    above: above!,
    sysadmin,
  };
  stays = { organization: await organization('organization'), group: await organization('group'), anchor: '' };
  stays.anchor = (await make.dataset({ ownerOrganization: stays.organization })).id;
  shelf = Object.fromEntries(
    await Promise.all(STATES.map(async (state) => [state, await scene(state)])),
  ) as typeof shelf;
}, 60_000);
afterAll(() => world.end());

/** An organization or group below another one, with its members; its id. */
async function organization(kind: 'organization' | 'group'): Promise<string> {
  const { make, result } = world;
  const { member, editor, admin, above, sysadmin } = users;
  const top = await make[kind]({ members: { [above!.id]: 'admin' } });
  const below = await make[kind]({ members: { [member!.id]: 'member', [editor!.id]: 'editor', [admin!.id]: 'admin' } });
  await result(
    'member_create',
    { id: below.id, object: top.id, object_type: 'group', capacity: 'parent' },
    { as: sysadmin },
  );
  return below.id;
}

const markOf = (state: State): string => `zz-${state}-mark`;

/** What one attempt is about. What the action takes away or changes for others is made anew each time. */
async function scene(state: State, about: { name?: string; write?: boolean } = {}): Promise<Scene> {
  const { make, result } = world;
  const { sysadmin, other } = users;
  const mark = markOf(state);
  const fresh = async (kind: 'organization' | 'group') =>
    about.write && new RegExp(`^${kind}_|^(member_|user_role)`).test(about.name ?? '')
      ? organization(kind)
      : stays[kind];
  const vocabulary = await make.vocabulary();
  const made = await make.dataset({
    title: mark,
    notes: mark,
    state: { draft: 'draft', deleted: 'deleted' }[state as string] ?? 'active',
    private: state === 'private',
    ownerOrganization: state === 'unowned' ? null : stays.organization,
    groups: [{ databaseId: stays.group }],
    tags: [{ name: mark }],
    resources: [{ url: `http://example.com/${mark}.png`, name: mark, format: mark, description: mark }],
  });
  const resource = made.body.resources[0]!.id;
  const as = { as: sysadmin };
  if (about.name === undefined || about.name.startsWith('datastore_'))
    await result('datastore_create', { resource_id: resource, force: true, records: [{ a: mark }] }, as);
  if (/^package_relationship_(update|delete)/.test(about.name ?? ''))
    await result('package_relationship_create', { subject: made.id, object: stays.anchor, type: 'links_to' }, as);
  return {
    unique: `u-${world.id()}`,
    dataset: made.id,
    resource,
    view: (await result('resource_view_create', { resource_id: resource, title: mark, view_type: 'image_view' }, as))
      .id,
    related: (await result('related_create', { dataset_id: made.id, title: mark, type: 'idea' }, as)).id,
    revision: made.body.revision_id,
    anchor: stays.anchor,
    organization: await fresh('organization'),
    group: await fresh('group'),
    user: about.name === 'user_delete' ? (await make.user()).id : other!.id,
    tag: (await result('tag_create', { name: `t-${world.id()}`, vocabulary_id: vocabulary.id }, as)).id,
    vocabulary: vocabulary.id,
    task: (
      await result(
        'task_status_update',
        { entity_id: resource, entity_type: 'resource', task_type: 'job', key: mark, value: mark },
        as,
      )
    ).id,
    activity: about.write ? '' : (await result('package_activity_list', { id: made.id }, as)).at(-1)?.id,
    token: about.name === 'api_token_revoke' ? await tokenOf(other!) : '',
  };
}

/** Id of a new token. */
async function tokenOf(user: TestUser): Promise<string> {
  await world.result('api_token_create', { name: 'token' }, { as: user });
  return (await world.result('api_token_list', {}, { as: user, get: true })).at(-1).id;
}

const mayIn = ({ may }: Rule, state: State): readonly Role[] => ('public' in may ? may[state] : may);
const outcome = ({ body }: Answered): string => (body.success ? 'ok' : body.error.__type);

/** Allowed, whatever else is wrong; or refused. */
function isAllowed(answered: Answered, { nothing }: Rule): boolean {
  const said = outcome(answered);
  return said !== 'Authorization Error' && (said !== 'Not Found Error' || nothing === true);
}

it('names every action, and none that is not there', () => {
  expect(Object.keys(MATRIX).sort()).toEqual(Object.keys(actions).sort());
});

describe.each(Object.entries(MATRIX).filter(([name]) => name in actions))('%s', (name, rule) => {
  const write = actions[name]!.kind === 'write';
  const states = 'public' in rule.may ? STATES : (['public'] as const);

  it.each(states)('is for those it is for (%s)', async (state) => {
    const may = mayIn(rule, state);
    let about = await (write ? scene(state, { name, write }) : shelf[state]);
    const said: Record<string, string> = {};
    // Those who are refused come first: the last attempts may take away what it is about.
    for (const role of [...ROLES].sort((a, b) => Number(may.includes(a)) - Number(may.includes(b)))) {
      const allowed = may.includes(role);
      if (write && allowed) about = await scene(state, { name, write });
      const as = users[role];
      const answered = await world.action(name, rule.params(about), { as });
      if (as && answered.body.result?.apikey && name === 'user_generate_apikey')
        users.other!.key = answered.body.result.apikey;
      if (isAllowed(answered, rule) !== allowed)
        said[role] = `${allowed ? 'should be allowed' : 'should be refused'}: ${answered.text.slice(0, 300)}`;
      else if (!allowed && !READ[state].includes(role) && answered.text.includes(markOf(state)))
        said[role] = `is told: ${answered.text}`;
    }
    expect(said).toEqual({});
  });

  if (write) return;
  it('shows nobody what they may not read', async () => {
    for (const role of ALL) {
      const { text } = await world.action(name, rule.params(shelf.public), { as: users[role] });
      const told = STATES.filter((state) => !READ[state].includes(role) && text.includes(markOf(state)));
      expect({ role, told }).toEqual({ role, told: [] });
    }
  });
});

describe('the graph', () => {
  it.each(STATES)('reads %s datasets and their resources for the same people', async (state) => {
    const { dataset, resource } = shelf[state];
    const read: Role[] = [];
    for (const role of ROLES) {
      const { body, text } = await world.graph(
        'query ($dataset: String!, $resource: String!) { dataset(idOrName: $dataset) { title } resource(id: $resource) { name } }',
        { dataset, resource },
        { as: users[role] },
      );
      if (body.data?.dataset && body.data?.resource) read.push(role);
      else expect(text).not.toContain(markOf(state));
    }
    expect(read).toEqual(ROLES.filter((role) => READ[state].includes(role)));
  });
});

describe('downloads', () => {
  it.each(STATES)('of %s datasets are for the same people', async (state) => {
    const { dataset, resource } = shelf[state];
    const led: Role[] = [];
    for (const role of ROLES) {
      const { status } = await world.request(`/dataset/${dataset}/resource/${resource}/download/x`, {
        redirect: 'manual',
        headers: users[role] ? { authorization: users[role].key } : {},
      });
      if (status === 302) led.push(role);
      else expect({ role, status }).toEqual({ role, status: 403 });
    }
    expect(led).toEqual(ROLES.filter((role) => READ[state].includes(role)));
  });
});
