/** Connections of an object: each page continues after the one before, and together they are the whole list. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

const MANY = 5;
const each = Array.from({ length: MANY }, (_, n) => `x${n}`);

let world: World;
let admin: TestUser;
let member: TestUser;
let revision: string;
let concerning: string;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
  member = await world.make.user({ name: 'often-in' });
  const call = (name: string, params: Record<string, unknown>) => world.result(name, params, { as: admin });
  for (const it of each) await world.make.user({ name: `member-${it}` });
  const users = [
    ...each.map((it) => ({ name: `member-${it}`, capacity: 'editor' })),
    { name: member.name, capacity: 'admin' },
  ];
  // Created in reverse, because the list is sorted by name and not by creation.
  for (const it of [...each].reverse()) {
    await call('organization_create', { name: `o-${it}`, users });
    await call('group_create', { name: `g-${it}`, users: [{ name: member.name, capacity: 'member' }] });
  }
  await call('vocabulary_create', {
    name: 'terms',
    tags: [...each].reverse().map((name) => ({ name: `term ${name}` })),
  });
  await call('package_create', {
    name: 'wide',
    owner_org: 'o-x0',
    resources: each.map((it) => ({ url: `http://example.com/${it}`, name: it })),
  });
  for (const it of each) await call('group_patch', { id: 'g-x0', title: it });
  const ids: string[] = [];
  for (const it of each) {
    const made = { name: `dataset-${it}`, owner_org: 'o-x0', groups: each.map((at) => ({ name: `g-${at}` })) };
    ids.push((await call('package_create', made)).id);
  }
  concerning = await latest();
  await call('bulk_update_private', { org_id: 'o-x0', datasets: ids });
  revision = await latest();
});
afterAll(() => world.end());

async function latest(): Promise<string> {
  const { body } = await world.graph('{ revisions(first: 1) { nodes { databaseId } } }', {}, { as: admin });
  return body.data.revisions.nodes[0].databaseId;
}

interface Listed {
  readonly nodes: unknown[];
  readonly totals: number[];
  readonly pages: number;
}

/** Follows a connection (`it` of `at`) from its beginning to its end. */
async function followed(at: string, field: string, inner: string, as: TestUser | null, first = 2): Promise<Listed> {
  const query = `query ($first: Int, $after: String) { at: ${at} { it: ${field}(first: $first, after: $after) {
    totalCount nodes ${inner} edges { cursor node ${inner} } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`;
  const nodes: unknown[] = [];
  const totals: number[] = [];
  let after: string | null = null;
  for (let pages = 1; pages < 50; pages += 1) {
    const { body, text } = await world.graph(query, { first, after }, { as });
    if (body.errors) throw new Error(`${query}\n${after}\nanswered ${text}`);
    const page: any = body.data.at.it;
    expect(page.edges.map(({ node }: { node: unknown }) => node)).toEqual(page.nodes);
    expect(page.pageInfo.hasPreviousPage).toBe(after !== null);
    expect(page.pageInfo.endCursor).toBe(page.edges.at(-1)?.cursor ?? null);
    nodes.push(...page.nodes);
    totals.push(page.totalCount);
    if (!page.pageInfo.hasNextPage) {
      expect(await followedBack(at, field, inner, as, first)).toEqual(nodes);
      return { nodes, totals, pages };
    }
    expect(page.nodes).toHaveLength(first);
    after = page.pageInfo.endCursor;
  }
  throw new Error(`${query} has no end`);
}

/** Follows a connection from its end to its beginning. */
async function followedBack(at: string, field: string, inner: string, as: TestUser | null, last: number) {
  const query = `query ($last: Int, $before: String) { at: ${at} { it: ${field}(last: $last, before: $before) {
    nodes ${inner} edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } } }`;
  const nodes: unknown[] = [];
  let before: string | null = null;
  for (let pages = 1; pages < 50; pages += 1) {
    const { body, text } = await world.graph(query, { last, before }, { as });
    if (body.errors) throw new Error(`${query}\n${before}\nanswered ${text}`);
    const { nodes: page, edges, pageInfo } = body.data.at.it;
    expect(pageInfo.hasNextPage).toBe(before !== null);
    expect([pageInfo.startCursor, pageInfo.endCursor]).toEqual([edges[0].cursor, edges.at(-1).cursor]);
    nodes.unshift(...page);
    if (!pageInfo.hasPreviousPage) return nodes;
    expect(page).toHaveLength(last);
    before = pageInfo.startCursor;
  }
  throw new Error(`${query} has no beginning`);
}

/** Parent, connection, selection of an item, field of the same list without pages, and length of the list. */
const LISTS: Record<string, () => [at: string, field: string, inner: string, whole: string, length: number]> = {
  'users of an organization': () => [
    'organization(id: "o-x1")',
    'membershipConnection',
    '{ user { name } }',
    'memberships',
    MANY + 2,
  ],
  'tags of a vocabulary': () => ['vocabulary(id: "terms")', 'tagConnection', '{ name }', 'tags', MANY],
  'resources of a dataset': () => ['dataset(id: "wide")', 'resourceConnection', '{ name position }', 'resources', MANY],
  'changes of a revision': () => [
    `revision(id: "${revision}")`,
    'objectConnection',
    '{ kind name action objectId }',
    'objects',
    MANY,
  ],
  'changes and objects of a revision': () => [
    `revision(id: "${concerning}")`,
    'objectConnection',
    '{ kind name action objectId }',
    'objects',
    MANY + 2,
  ],
};

describe.each(Object.keys(LISTS))('%s', (name) => {
  it('have the same items in pages as in one list', async () => {
    const [at, field, inner, whole, length] = LISTS[name]!();
    const { body } = await world.full(`{ at: ${at} { it: ${whole} ${inner} } }`, {}, { as: admin });
    const { nodes, totals, pages } = await followed(at, field, inner, admin);
    expect(nodes).toEqual(body.data.at.it);
    expect(nodes).toHaveLength(length);
    expect(new Set(totals)).toEqual(new Set([length]));
    expect(pages).toBe(Math.ceil(length / 2));
    expect((await followed(at, field, inner, admin, 100)).nodes).toEqual(nodes);
  });

  it('refuse a cursor of another list, and page sizes out of range', async () => {
    const [at, field, inner] = LISTS[name]!();
    const strange = Buffer.from(JSON.stringify(['a', 'b', 'c', 'd'])).toString('base64url');
    const ask = (args: string) =>
      world.graph(`{ at: ${at} { it: ${field}(${args}) { nodes ${inner} } } }`, {}, { as: admin });
    expect((await ask(`after: "${strange}"`)).body.errors).toMatchObject([
      {
        extensions: {
          code: 'VALIDATION',
          problems: [{ path: ['after'], message: 'Not a valid cursor for this list. Start again without it' }],
        },
      },
    ]);
    expect((await ask('first: 101')).body.errors).toMatchObject([
      { extensions: { code: 'LIMIT', limit: { name: 'page' } } },
    ]);
    expect((await ask('first: 0')).body.errors).toMatchObject([
      { extensions: { code: 'LIMIT', limit: { name: 'page' } } },
    ]);
  });
});

describe('revisions of a group', () => {
  it('have the same items in pages as in one list, for each reader', async () => {
    for (const as of [admin, null]) {
      const { body } = await world.full('{ it: groupRevisions(id: "g-x0") { databaseId message } }', {}, { as });
      const { nodes, totals } = await followed('group(id: "g-x0")', 'revisions', '{ databaseId message }', as);
      expect(nodes).toEqual(body.data.it);
      expect(nodes.length).toBeGreaterThan(MANY);
      expect(new Set(totals)).toEqual(new Set([nodes.length]));
    }
  });
});

describe('groups of a user', () => {
  const groups = (as: TestUser | null) =>
    followed(`user(id: "${member.name}")`, 'memberships', '{ capacity group { __typename name isOrganization } }', as);
  const expected = [
    ...each.map((it) => ({
      capacity: 'MEMBER',
      group: { __typename: 'Group', name: `g-${it}`, isOrganization: false },
    })),
    ...each.map((it) => ({
      capacity: 'ADMIN',
      group: { __typename: 'Organization', name: `o-${it}`, isOrganization: true },
    })),
  ];

  it('are groups and organizations by name, with the capacity in each, for every reader', async () => {
    for (const as of [admin, member, null])
      expect(await groups(as)).toEqual({ nodes: expected, totals: expected.slice(0, 5).map(() => 10), pages: 5 });
  });

  it('exclude deleted groups', async () => {
    await world.result('group_delete', { id: 'g-x4' }, { as: admin });
    const left = expected.filter(({ group }) => group.name !== 'g-x4');
    expect(await groups(member)).toEqual({ nodes: left, totals: left.slice(0, 5).map(() => 9), pages: 5 });
  });
});

describe('followees of a user', () => {
  const inner =
    '{ kind displayName object { ... on User { name } ... on Dataset { name } ... on Group { name } ... on Organization { name } } }';
  let fan: TestUser;
  beforeAll(async () => {
    fan = await world.make.user({ name: 'fan' });
    const follow = (action: string, id: string) => world.result(action, { id }, { as: fan });
    for (const it of [...each].reverse()) {
      await world.make.dataset({ name: `seen-${it}` });
      await follow('follow_dataset', `seen-${it}`);
      await follow('follow_user', `member-${it}`);
      await follow('follow_group', `o-${it}`);
    }
    // Datasets that are hidden or deleted after they were followed are no longer listed.
    await world.make.dataset({ name: 'hidden-later' });
    await follow('follow_dataset', 'hidden-later');
    await world.result('package_patch', { id: 'hidden-later', private: true, owner_org: 'o-x0' }, { as: admin });
    await world.make.dataset({ name: 'gone-later' });
    await follow('follow_dataset', 'gone-later');
    await world.result('package_delete', { id: 'gone-later' }, { as: admin });
  });

  it('have the same items in pages as in one list, for the user and system administrators', async () => {
    for (const [as, length] of [
      [fan, 3 * MANY],
      [admin, 3 * MANY + 1],
    ] as const) {
      const { body } = await world.full(`{ it: followees(id: "fan") ${inner} }`, {}, { as });
      const { nodes, totals } = await followed('user(id: "fan")', 'followees', inner, as);
      expect(nodes).toEqual(body.data.it);
      expect(nodes).toHaveLength(length);
      expect(new Set(totals)).toEqual(new Set([length]));
    }
  });

  it('are filtered by kind and prefix', async () => {
    const names = async (args: string) => {
      const { body } = await world.graph(
        `{ user(id: "fan") { followees(first: 50, ${args}) { totalCount nodes { displayName } } } }`,
        {},
        { as: fan },
      );
      const { nodes, totalCount } = body.data.user.followees;
      expect(totalCount).toBe(nodes.length);
      return nodes.map(({ displayName }: { displayName: string }) => displayName);
    };
    expect(await names('kinds: [DATASET, USER], startsWith: "SEEN"')).toEqual(each.map((it) => `seen-${it}`));
    expect(await names('kinds: [ORGANIZATION]')).toEqual(each.map((it) => `o-${it}`));
    expect(await names('kinds: []')).toEqual([]);
    expect(await names('startsWith: "%"')).toEqual([]);
  });

  it('are hidden from other users', async () => {
    for (const as of [member, null]) {
      const { body } = await world.graph(`{ user(id: "fan") { name followees { nodes ${inner} } } }`, {}, { as });
      expect(body.data.user).toEqual({ name: 'fan', followees: null });
      expect(body.errors).toMatchObject([{ extensions: { code: 'NOT_AUTHORIZED' } }]);
    }
  });
});
