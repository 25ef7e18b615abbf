/** Texts longer than an index row: stored whole, or refused with the name of the field. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld();
  await world.datastore();
  admin = await world.make.sysadmin();
  await world.result('package_create', { name: 'water' }, { as: admin });
});
afterAll(() => world.end());

/** PostgreSQL compresses repeated texts, so these are random. */
const random = (bytes: number): string => randomBytes(bytes).toString('hex').slice(0, bytes);
const call = (action: string, params: Record<string, unknown>) => world.result(action, params, { as: admin });
let made = 0;
const name = () => `made-${(made += 1)}`;

describe('texts without a limit', () => {
  it('are stored whole, and lists sorted by them can be paged through', async () => {
    const start = `A ${random(400)}`;
    const titles = [`${start} ${random(20_000)}`, `${start} ${random(20_000)}`, 'B'];
    for (const title of titles) expect((await call('package_create', { name: name(), title })).title).toBe(title);
    expect(
      await pages('datasets(orderBy: { field: TITLE, direction: ASC }', '{ title }', ({ title }) => title),
    ).toEqual(expect.arrayContaining(titles));
    const resource = { url: 'https://example.org', name: titles[0], description: random(20_000) };
    const { resources } = await call('package_create', {
      name: name(),
      resources: [resource, { ...resource, name: titles[1] }],
    });
    expect(resources[0]).toMatchObject(resource);
    expect(
      (await pages('resources(orderBy: { field: NAME, direction: ASC }', '{ name }', (it) => it.name)).sort(),
    ).toEqual(titles.slice(0, 2).sort());
    const user = await world.make.user({});
    await call('user_patch', { id: user.name, fullname: titles[0] });
    const shown = (await call('user_list', {})).map(({ fullname }: { fullname: string }) => fullname);
    expect(shown).toContain(titles[0]);
    expect(
      await pages('users(orderBy: { field: NAME, direction: ASC }', '{ fullName }', ({ fullName }) => fullName),
    ).toContain(titles[0]);
  });

  it('are stored whole in fields that no list is sorted by', async () => {
    const [license_id, format, term] = [random(20_000), random(20_000), random(20_000)];
    const id = name();
    const host = `https://${random(6_000)}.example/a.csv`;
    const resources = [{ url: 'https://example.org', format }, { url: host }];
    const dataset = await call('package_create', { name: id, license_id, resources });
    const stored = [dataset.license_id, dataset.resources[0].format, dataset.resources[1].url];
    expect(stored.map((text) => text.length)).toEqual([license_id, format, host].map((text) => text.length));
    const licensed = async (licenseId: string) => {
      const { body, text } = await world.graph(
        'query ($licenseId: String) { datasets(where: { license: $licenseId }, first: 2) { nodes { name } } }',
        { licenseId },
      );
      if (body.errors) throw new Error(text);
      return body.data.datasets.nodes;
    };
    expect(await licensed(license_id)).toEqual([{ name: id }]);
    // The index holds the first 250 characters of a license.
    for (const length of [249, 250, 251]) {
      const start = license_id.slice(0, length);
      const other = name();
      await call('package_create', { name: other, license_id: start });
      expect(await licensed(start)).toEqual([{ name: other }]);
    }
    expect(await licensed(license_id.slice(0, 252))).toEqual([]);
    const translation = { term, term_translation: random(20_000), lang_code: 'de' };
    await call('term_translation_update', translation);
    const [shown] = await call('term_translation_show', { terms: [term] });
    expect(shown.term_translation === translation.term_translation).toBe(true);
  });

  async function pages(list: string, fields: string, read: (node: any) => unknown): Promise<unknown[]> {
    const found: unknown[] = [];
    for (let after: string | null = null; ; ) {
      const { body, text } = await world.graph(
        `query ($after: String) { list: ${list}, first: 1, after: $after) { nodes ${fields} pageInfo { endCursor hasNextPage } } }`,
        { after },
        { as: admin },
      );
      if (body.errors) throw new Error(text);
      found.push(...body.data.list.nodes.map(read));
      after = body.data.list.pageInfo.endCursor;
      if (!body.data.list.pageInfo.hasNextPage) return found;
    }
  }
});

const status = (key: string) => ({ entity_id: key, entity_type: 't', task_type: 't', key: 'k', value: 'v' });

/** Action, field in the error, maximum length, and input with a given text. */
const LIMITED: [string, string, number, (text: string) => Record<string, unknown>][] = [
  ['package_create', 'id', 100, (id) => ({ name: name(), id })],
  ['package_create', 'extras', 2_000, (key) => ({ name: name(), extras: [{ key, value: 'v' }] })],
  ['user_create', 'email', 254, (email) => ({ name: name(), email, password: 'long enough' })],
  ['task_status_update', 'entity_id', 200, status],
  ['task_status_update', 'entity_type', 200, (entity_type) => ({ ...status('e'), entity_type })],
  ['task_status_update', 'task_type', 200, (task_type) => ({ ...status('e'), task_type })],
  ['task_status_update', 'key', 200, (key) => ({ ...status('e'), key })],
];

it.each(LIMITED)('%s accepts %s of at most %i bytes', async (action, field, max, input) => {
  await call(action, input(random(max)));
  for (const length of [max + 1, 12_000]) {
    const { status, body, text } = await world.action(action, input(random(length)), { as: admin });
    const error = body.error?.[field] ?? text;
    expect([status, JSON.stringify(error)]).toEqual([
      expect.any(Number),
      expect.stringMatching(/at most (\d+) (bytes|characters) long/),
    ]);
    expect(body.success).toBe(false);
  }
});

it('user_invite refuses e-mail addresses longer than user_create accepts', async () => {
  const group = await world.make.group({});
  const invite = (email: string) =>
    world.action('user_invite', { email, group_id: group.id, role: 'member' }, { as: admin });
  expect((await invite(`${random(242)}@example.org`)).body.success).toBe(true);
  for (const length of [243, 12_000])
    expect((await invite(`${random(length)}@example.org`)).body.error).toMatchObject({
      email: [expect.stringContaining('254')],
    });
});

/** Actions that search with LIKE, which reads the whole pattern for each row. */
const SEARCHES: [string, (text: string) => Record<string, unknown>][] = [
  ['user_list', (q) => ({ q })],
  ['user_autocomplete', (q) => ({ q })],
  ['package_autocomplete', (q) => ({ q })],
  ['group_autocomplete', (q) => ({ q })],
  ['organization_autocomplete', (q) => ({ q })],
  ['tag_search', (query) => ({ query })],
  ['tag_autocomplete', (query) => ({ query })],
  ['resource_search', (text) => ({ query: `name:${text}` })],
];

it.each(SEARCHES)('%s refuses a search text of more than 1,000 characters', async (action, input) => {
  expect((await world.action(action, input('x'.repeat(1_000)))).body.success).toBe(true);
  for (const text of ['x'.repeat(1_001), 'x'.repeat(8_000_000)]) {
    const { body } = await world.action(action, input(text));
    expect(body).toMatchObject({
      success: false,
      error: { message: expect.stringMatching(/^(q|query): At most 1000 characters/) },
    });
  }
});

it.each([
  ['dataset', 'incomplete'],
  ['tag', 'incomplete'],
  ['user', 'q'],
  ['group', 'q'],
  ['organization', 'q'],
])('legacy autocompletion of a %s refuses more than 1,000 characters in %s', async (kind, field) => {
  const at = (text: string) => world.request(`/api/2/util/${kind}/autocomplete?${field}=${text}`);
  expect((await at('x'.repeat(1_000))).status).toBe(200);
  const { status, body } = await at('x'.repeat(1_001));
  expect({ status, body }).toEqual({ status: 409, body: { [field]: ['At most 1000 characters'] } });
});

it('datastore actions limit the number of sort keys and filters, and the length of q', async () => {
  const { resource_id } = await call('datastore_create', {
    resource: { package_id: 'water', name: 't' },
    fields: [{ id: 'a', type: 'text' }],
  });
  const search = async (params: object) => (await world.action('datastore_search', { resource_id, ...params })).body;
  expect(await search({ sort: 'a,'.repeat(1_000), q: 'x '.repeat(10_000) })).toMatchObject({ success: true });
  expect((await search({ sort: 'a,'.repeat(1_001) })).error).toMatchObject({ sort: ['At most 1000 sort keys'] });
  expect((await search({ sort: 'a,'.repeat(4_000_000) })).error.message).toBe(
    'The input has more than 100000 values (items and keys). Send fewer values at a time',
  );
  const filters = Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`a${n}`, 1]));
  expect((await search({ filters })).error).toMatchObject({ filters: ['At most 1000 conditions'] });
  const { body } = await world.action('datastore_delete', { resource_id, force: true, filters }, { as: admin });
  expect(body.error).toMatchObject({ filters: ['At most 1000 conditions'] });
  expect((await search({ q: 'x '.repeat(10_001) })).error).toMatchObject({ q: ['At most 20000 characters'] });
});
