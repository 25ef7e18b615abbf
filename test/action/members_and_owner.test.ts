/** Actions on members, owner organizations and the order of resources: allowed, refused and invalid calls, one per row. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

type Who = 'admin' | 'chief' | 'writer' | 'stranger' | 'nobody';

let world: World;
const users = {} as Record<Exclude<Who, 'nobody'>, TestUser>;
let resources: string[];

beforeAll(async () => {
  world = await createWorld({ 'catalog.action_api.status': 'http' });
  for (const name of ['admin', 'chief', 'writer', 'stranger'] as const)
    users[name] = await world.make.user({ name, sysadmin: name === 'admin' });
  const members = { [users.chief.id]: 'admin', [users.writer.id]: 'editor' } as const;
  const office = await world.make.organization({ name: 'office', title: 'Office', members });
  await world.make.organization({ name: 'bureau', members: { [users.chief.id]: 'admin' } });
  await world.make.group({ name: 'rivers', members });
  await world.make.dataset({ name: 'levels', ownerOrganization: office.id });
  await world.make.dataset({ name: 'closed', ownerOrganization: office.id, private: true });
  const files = ['csv', 'csv', 'json', 'geojson'].map((format, index) => ({
    url: `http://x.example/${index}`,
    format,
  }));
  await world.make.dataset({ name: 'files', ownerOrganization: office.id, resources: files });
  resources = (await shown('package', 'files')).resources.map(({ id }: { id: string }) => id);
});
afterAll(() => world.end());

const shown = (kind: string, id: string) => world.result(`${kind}_show`, { id }, { as: users.admin });

const everything = () =>
  Promise.all([
    shown('organization', 'office'),
    shown('group', 'rivers'),
    ...['levels', 'closed', 'files'].map((name) => shown('package', name)),
  ]);

/** The `result`, or the status and the error without its type. */
async function ask(action: string, params: Record<string, unknown>, who: Who): Promise<unknown> {
  const { status, body } = await world.action(action, params, { as: who === 'nobody' ? null : users[who] });
  const { __type, ...error } = body.error ?? {};
  return body.success ? body.result : { status, ...error };
}

type Row = readonly [action: string, params: Record<string, unknown>, who: Who, expected: unknown];

const denied = { status: 403, message: expect.stringMatching(/^Access denied/) };
const missing = { status: 404, message: expect.stringMatching(/^Not found/) };
const wrong = (problems: Record<string, unknown>) => ({ status: 409, message: expect.any(String), ...problems });

describe('refused and invalid calls', () => {
  const MISSING = ['Missing value'];
  const SET_ROLE = ['group', 'organization'].flatMap((kind): Row[] => {
    const id = kind === 'group' ? 'rivers' : 'office';
    const create = `${kind}_member_create`;
    const remove = `${kind}_member_delete`;
    return [
      [create, { id, username: 'stranger', role: 'member' }, 'nobody', denied],
      [create, { id, username: 'stranger', role: 'member' }, 'stranger', denied],
      [create, { id, username: 'stranger', role: 'member' }, 'writer', denied],
      [create, { id, username: 'stranger', role: 'king' }, 'chief', wrong({ role: ['role does not exist.'] })],
      [create, { id, username: 'nope', role: 'member' }, 'chief', wrong({ username: ['Not found: User'] })],
      [create, {}, 'admin', wrong({ id: MISSING, username: MISSING, role: MISSING })],
      [remove, { id, username: 'writer' }, 'nobody', denied],
      [remove, { id, username: 'writer' }, 'stranger', denied],
      [remove, { id, username: 'nope' }, 'admin', missing],
      [remove, { id }, 'admin', missing],
      [remove, { id: 'nope', username: 'writer' }, 'admin', missing],
    ];
  });
  const ROWS: readonly Row[] = [
    ...SET_ROLE,
    ['organization_update', { id: 'office', title: 'x' }, 'nobody', denied],
    ['organization_update', { id: 'office', title: 'x' }, 'writer', denied],
    ['organization_update', { id: 'nope', title: 'x' }, 'admin', missing],
    ['organization_update', { id: 'rivers', title: 'x' }, 'admin', missing],
    ['organization_update', { name: 'office' }, 'admin', wrong({ id: MISSING })],
    [
      'organization_update',
      { id: 'office', name: 'bureau' },
      'chief',
      wrong({ name: ['Group name already exists in database'] }),
    ],
    ['package_owner_org_update', { id: 'levels', organization_id: 'bureau' }, 'nobody', denied],
    ['package_owner_org_update', { id: 'levels', organization_id: 'bureau' }, 'stranger', denied],
    ['package_owner_org_update', { id: 'levels', organization_id: 'bureau' }, 'writer', denied],
    ['package_owner_org_update', { id: 'levels', organization_id: 'bureau' }, 'chief', denied], // admin of both organizations
    ['package_owner_org_update', { id: 'nope', organization_id: 'office' }, 'admin', missing],
    ['package_owner_org_update', { organization_id: 'office' }, 'admin', missing],
    [
      'package_owner_org_update',
      { id: 'levels', organization_id: 'nope' },
      'admin',
      wrong({ organization_id: ['Organization does not exist'] }),
    ],
    [
      'package_owner_org_update',
      { id: 'closed' },
      'admin',
      wrong({ private: ["Datasets with no organization can't be private."] }),
    ],
    ['package_resource_reorder', { id: 'files', order: [] }, 'nobody', denied],
    ['package_resource_reorder', { id: 'files', order: [] }, 'stranger', denied],
    ['package_resource_reorder', { id: 'nope', order: [] }, 'admin', missing],
    ['package_resource_reorder', { order: [] }, 'admin', wrong({ id: MISSING })],
    ['package_resource_reorder', { id: 'files' }, 'writer', wrong({ order: MISSING })],
    ['package_resource_reorder', { id: 'files', order: null }, 'writer', wrong({ order: MISSING })],
    ['package_resource_reorder', { id: 'files', order: '' }, 'writer', wrong({ order: MISSING })],
    [
      'package_resource_reorder',
      { id: 'files', order: 5 },
      'writer',
      wrong({ order: ['Must be a list of resource ids'] }),
    ],
    [
      'package_resource_reorder',
      { id: 'files', order: { 0: 'x' } },
      'writer',
      wrong({ order: ['Must be a list of resource ids'] }),
    ],
    [
      'package_resource_reorder',
      { id: 'files', order: ['nope'] },
      'writer',
      wrong({ order: ['resource_id nope can not be found'] }),
    ],
    ['format_autocomplete', {}, 'nobody', wrong({ q: MISSING })],
    ['format_autocomplete', { q: 'c', limit: 'x' }, 'nobody', wrong({ limit: ['Invalid integer'] })],
    ['format_autocomplete', { q: 'c', limit: -1 }, 'nobody', wrong({ limit: ['Must be a natural number'] })],
  ];

  it.each(ROWS)('%s %j by %s', async (action, params, who, expected) => {
    const before = await everything();
    const got = await ask(action, params, who);
    expect(got).toEqual(expected);
    expect(await everything()).toEqual(before);
  });
});

/** The result of an action, and the state that a show action returns afterwards. */
type Done = readonly [
  action: string,
  params: Record<string, unknown>,
  who: Who,
  result: unknown,
  show: string,
  id: string,
  after: unknown,
];

const member = (capacity: string) => expect.objectContaining({ table_name: 'user', capacity, state: 'active' });
const listing = (...names: string[]) => ({ users: names.map((name) => expect.objectContaining({ name })) });

describe('allowed calls, in order', () => {
  const MEMBERS = ['group', 'organization'].flatMap((kind): Done[] => {
    const id = kind === 'group' ? 'rivers' : 'office';
    const params = { id, username: 'stranger' };
    const all = listing('chief', 'stranger', 'writer');
    return [
      [`${kind}_member_create`, { ...params, role: 'member' }, 'chief', member('member'), kind, id, all],
      [`${kind}_member_create`, { ...params, role: 'editor' }, 'admin', member('editor'), kind, id, all],
      [`${kind}_member_delete`, params, 'chief', null, kind, id, listing('chief', 'writer')],
      [`${kind}_member_delete`, params, 'chief', null, kind, id, listing('chief', 'writer')],
    ];
  });
  const owner = (name: string) => ({ organization: expect.objectContaining({ name }) });
  const renamed = { name: 'office', title: 'Head office', extras: [], users: [] };
  const DONE: readonly Done[] = [
    ...MEMBERS,
    [
      'package_owner_org_update',
      { id: 'levels', organization_id: 'bureau' },
      'admin',
      null,
      'package',
      'levels',
      owner('bureau'),
    ],
    [
      'package_owner_org_update',
      { id: 'levels', organization_id: '' },
      'admin',
      null,
      'package',
      'levels',
      { organization: null, owner_org: null },
    ],
    [
      'package_owner_org_update',
      { id: 'levels', organization_id: 'office' },
      'admin',
      null,
      'package',
      'levels',
      owner('office'),
    ],
    [
      'organization_update',
      { id: 'office', title: 'Head office' },
      'chief',
      expect.objectContaining(renamed),
      'organization',
      'office',
      renamed,
    ],
  ];

  it.each(DONE)('%s %j by %s', async (action, params, who, result, show, id, after) => {
    expect(await ask(action, params, who)).toEqual(result);
    expect(await shown(show, id)).toMatchObject(after as object);
  });
});

describe('package_resource_reorder', () => {
  it('refuses a resource named twice', async () => {
    expect(
      await ask('package_resource_reorder', { id: 'files', order: [resources[0], resources[0]] }, 'admin'),
    ).toEqual(wrong({ order: ['Must supply unique resource_ids'] }));
  });

  it('moves the given resources to the front and keeps the order of the others', async () => {
    const [a, b, c, d] = resources;
    for (const [order, now] of [
      [
        [d, b],
        [d, b, a, c],
      ],
      [[], [d, b, a, c]],
      [
        [a, b, c, d],
        [a, b, c, d],
      ],
    ]) {
      expect(await ask('package_resource_reorder', { id: 'files', order }, 'admin')).toEqual({
        id: expect.any(String),
        order: now,
      });
      expect((await shown('package', 'files')).resources.map(({ id }: { id: string }) => id)).toEqual(now);
    }
  });
});

it.each([
  ['cs', undefined, ['csv']],
  ['JSON', undefined, ['geojson', 'json']],
  ['s', 1, ['csv']],
  ['s', 0, []],
  ['%', undefined, []],
])('format_autocomplete finds %j (limit %j)', async (q, limit, formats) => {
  expect(await ask('format_autocomplete', { q, ...(limit !== undefined && { limit }) }, 'nobody')).toEqual(formats);
});
