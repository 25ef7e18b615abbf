import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let una: TestUser;

beforeAll(async () => {
  world = await createWorld({}, { counts: true });
  admin = await world.make.sysadmin();
  una = await world.make.user({ name: 'una' });
  for (const name of ['aa', 'bb', 'cc', 'dd', 'ee']) {
    await world.make.group({ name, members: { [una.id]: 'editor' } });
    await world.make.organization({ name: `org-${name}`, members: { [una.id]: 'admin' } });
  }
});
afterAll(() => world.end());

const data = async (query: string, variables = {}, as: TestUser | null = null) => {
  const { body } = await world.graph(query, variables, { as });
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data;
};

describe('connections', () => {
  it.each([
    ['groups', ['aa', 'bb', 'cc', 'dd', 'ee']],
    ['organizations', ['org-aa', 'org-bb', 'org-cc', 'org-dd', 'org-ee']],
  ])('page %s by name', async (field, names) => {
    const query = `query ($after: String) { list: ${field}(first: 2, after: $after) { totalCount nodes { name } pageInfo { hasNextPage endCursor } } }`;
    const seen: string[] = [];
    let after: string | null = null;
    do {
      const { list }: any = await data(query, { after });
      expect(list.totalCount).toBe(5);
      seen.push(...list.nodes.map((node: { name: string }) => node.name));
      after = list.pageInfo.hasNextPage ? list.pageInfo.endCursor : null;
    } while (after !== null);
    expect(seen).toEqual(names);
  });

  it('need as many statements for five organizations as for one', async () => {
    const query =
      'query ($first: Int) { organizations(first: $first) { nodes { datasetCount visibleDatasetCount extras { key } membershipConnection { nodes { capacity datasetCount user { name } } } parents { group { name } } } } }';
    const few = await world.statementsOf(() => data(query, { first: 1 }));
    const many = await world.statementsOf(() => data(query, { first: 5 }));
    expect(many.length).toBe(few.length);
  });
});

describe('one group', () => {
  it('has a global id that `node` resolves to its own type only', async () => {
    const { group } = await data('{ group(id: "aa") { id databaseId __typename } }');
    expect(
      (await data('query ($id: ID!) { node(id: $id) { __typename id ... on Group { name } } }', { id: group.id })).node,
    ).toEqual({ __typename: 'Group', id: group.id, name: 'aa' });
    const asOrganization = Buffer.from(`Organization:${group.databaseId}`).toString('base64url');
    expect((await data('query ($id: ID!) { node(id: $id) { id } }', { id: asOrganization })).node).toBeNull();
  });

  it('can be read without knowing whether it is an organization', async () => {
    const query = 'query ($name: ID!) { groupOrOrganization(id: $name) { __typename name isOrganization } }';
    const named = async (name: string) => (await world.full(query, { name })).body.data.groupOrOrganization;
    expect(await named('aa')).toEqual({
      __typename: 'Group',
      name: 'aa',
      isOrganization: false,
    });
    expect(await named('org-aa')).toEqual({
      __typename: 'Organization',
      name: 'org-aa',
      isOrganization: true,
    });
  });
});

describe('mutations', () => {
  it('return errors as data, with the path in the input', async () => {
    const query =
      'mutation ($input: CreateGroupInput!) { createGroup(input: $input) { group { name } errors { code path message } } }';
    const { createGroup } = await data(query, { input: { name: 'aa', datasets: [{ id: 'nope' }] } }, una);
    expect(createGroup).toEqual({
      group: null,
      errors: [
        { code: 'VALIDATION', path: ['name'], message: 'Group name already exists in database' },
        { code: 'VALIDATION', path: ['datasets', '0', 'id'], message: 'Not found: Dataset' },
      ],
    });
  });

  it('refuse an outdated expectedVersion', async () => {
    const query =
      'mutation ($input: UpdateOrganizationInput!) { updateOrganization(input: $input) { organization { title version } errors { code path } } }';
    const first = await data(query, { input: { organization: 'org-aa', title: 'One', expectedVersion: 1 } }, una);
    expect(first.updateOrganization).toEqual({ organization: { title: 'One', version: 2 }, errors: [] });
    const second = await data(query, { input: { organization: 'org-aa', title: 'Two', expectedVersion: 1 } }, una);
    expect(second.updateOrganization).toEqual({
      organization: null,
      errors: [{ code: 'CONFLICT', path: ['expectedVersion'] }],
    });
  });

  it('write one change, with the message and author of the revision', async () => {
    const before = await world.database.db.change.count();
    await data(
      'mutation { updateGroup(input: { group: "bb", title: "B", message: "because" }) { errors { code } } }',
      {},
      admin,
    );
    const [change] = await world.database.db.change.findMany({
      orderBy: { sequence: 'desc' },
      take: 1,
      include: { revision: true },
    });
    expect(await world.database.db.change.count()).toBe(before + 1);
    expect(change).toMatchObject({
      objectType: 'group',
      action: 'updated',
      revision: { message: 'because', author: admin.name },
    });
  });

  it('store ten members that are added concurrently', async () => {
    const users = await Promise.all(Array.from({ length: 10 }, () => world.make.user()));
    const query =
      'mutation ($user: ID!) { addGroupMember(input: { group: "org-cc", objectType: USER, object: $user, capacity: MEMBER }) { errors { message } } }';
    for (const answer of await Promise.all(users.map((user) => data(query, { user: user.name }, una))))
      expect(answer.addGroupMember.errors).toEqual([]);
    const { organization } = await data('{ organization(id: "org-cc") { membershipConnection { totalCount } } }');
    expect(organization.membershipConnection.totalCount).toBe(11);
  });

  it('store ten extras that are set concurrently, and count every write', async () => {
    const version = async () => (await data('{ group(id: "bb") { version } }')).group.version;
    const before = await version();
    const query =
      'mutation ($key: String!) { updateGroup(input: { group: "bb", setExtras: [{ key: $key, value: "1" }] }) { errors { message } } }';
    const keys = Array.from({ length: 10 }, (_, index) => `key-${index}`);
    for (const answer of await Promise.all(keys.map((key) => data(query, { key }, admin))))
      expect(answer.updateGroup.errors).toEqual([]);
    const { group } = await data('{ group(id: "bb") { extras { key } } }');
    expect(group.extras.map(({ key }: { key: string }) => key)).toEqual(expect.arrayContaining(keys));
    expect(await version()).toBe(before + 10);
  });

  it('create groups that are sorted case-insensitively, also by non-ASCII titles', async () => {
    for (const title of ['Ärzte', 'ämter', 'Zoo', 'amt'])
      await data(
        'mutation ($name: String!, $title: String!) { createGroup(input: { name: $name, title: $title }) { errors { code } } }',
        { name: `sorted-${title.length}${title.charCodeAt(0)}`, title },
        admin,
      );
    const { groupList } = (await world.full('{ groupList(input: { sort: TITLE }) { name title } }')).body.data;
    const sorted = groupList.filter(({ name }: { name: string }) => name.startsWith('sorted-'));
    expect(sorted.map(({ title }: { title: string }) => title)).toEqual(['amt', 'Zoo', 'ämter', 'Ärzte']);
  });

  it('do not create a cycle by two concurrent links', async () => {
    const query =
      'mutation ($group: ID!, $object: ID!) { addGroupMember(input: { group: $group, objectType: GROUP, object: $object, capacity: PUBLIC }) { errors { code } } }';
    const answers = await Promise.all([
      data(query, { group: 'dd', object: 'ee' }, admin),
      data(query, { group: 'ee', object: 'dd' }, admin),
    ]);
    expect(answers.map((answer) => answer.addGroupMember.errors.length).sort()).toEqual([0, 1]);
  });
});
