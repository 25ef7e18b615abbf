/** Idempotency keys: a creation that is repeated with its key runs once, and any other use of the key is refused. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getNamedType, isInputObjectType } from 'graphql';
import { schema } from '../../src/graph/schema.ts';
import { isPublic } from '../helpers/full-graph.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { tenAtOnce } from '../helpers/writers.ts';

let world: World;
let admin: TestUser;
let resourceId: string;
let dataset: string;
let other: string;
let vocabularyId: string;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
  const made = await world.make.dataset({ resources: [{ url: 'u' }] });
  dataset = made.id;
  resourceId = made.body.resources[0]!.id;
  other = (await world.make.dataset()).id;
  vocabularyId = (await world.make.vocabulary()).id;
  await world.datastore();
});
afterAll(() => world.end());

const fresh = (): string => `n-${world.id().slice(0, 8)}`;

/** Input of every mutation that takes a key, and the field of its payload. */
const CASES: Record<string, [field: string, input: () => Record<string, unknown>]> = {
  createActivity: ['activity', () => ({ userId: admin.id, type: 'DATASET_CHANGED', objectId: dataset })],
  createDataset: ['dataset', () => ({ name: fresh() })],
  createDatasetRelationship: [
    'relationship',
    () => ({ subject: dataset, object: other, type: 'LINKS_TO', comment: fresh() }),
  ],
  createGroup: ['group', () => ({ name: fresh() })],
  createHarvestSource: ['source', () => ({ name: fresh(), url: 'http://example.com/', kind: 'CKAN' })],
  createOrganization: ['organization', () => ({ name: fresh() })],
  createRelatedItem: ['relatedItem', () => ({ title: 't', type: 'idea' })],
  createResource: ['resource', () => ({ dataset, resource: { url: 'http://example.com/' } })],
  createResourceView: ['view', () => ({ resourceId, viewType: 'text_view', title: 't' })],
  createTable: [
    'table',
    () => ({ dataset, resource: { name: fresh() }, fields: [{ id: 'a', type: 'text' }], records: [{ a: 'one' }] }),
  ],
  createTag: ['tag', () => ({ name: fresh(), vocabularyId })],
  createToken: ['created { token', () => ({ name: fresh(), scope: 'READ' })],
  createUser: ['user', () => ({ name: fresh(), email: 'a@example.com', password: 'long enough 12' })],
  createVocabulary: ['vocabulary', () => ({ name: fresh() })],
  createWebhook: ['webhook', () => ({ url: 'https://example.com/' })],
};
/** Creations without a key: repeating them gives the same result, or they return a secret that is shown once. */
const WITHOUT = ['createDefaultResourceViews', 'createPasswordLink'];

it('every creation outside batches takes a key, with two exceptions', () => {
  const creations = Object.values(schema.getMutationType()!.getFields()).filter(({ name }) =>
    /^create(?!Datasets|Resources)/.test(name),
  );
  const keyed = creations.filter(({ args }) => {
    const input = getNamedType(args[0]!.type);
    return isInputObjectType(input) && 'idempotencyKey' in input.getFields();
  });
  expect(keyed.map(({ name }) => name).sort()).toEqual(Object.keys(CASES));
  expect(
    creations
      .map(({ name }) => name)
      .filter((name) => !(name in CASES))
      .sort(),
  ).toEqual(WITHOUT);
});

async function create(mutation: string, input: Record<string, unknown>, as: TestUser | null = admin) {
  const field = CASES[mutation]![0];
  const type = String(schema.getMutationType()!.getFields()[mutation]!.args[0]!.type);
  const query = `mutation ($input: ${type}) { it: ${mutation}(input: $input) { made: ${field} { ${mutation === 'createTable' ? 'resourceId' : 'id'} } ${field.includes('{') ? '}' : ''} errors { code message path } } }`;
  const send = isPublic(mutation) ? world.graph : world.full;
  const { body, text } = await send(query, { input }, { as });
  if (body.errors) throw new Error(`${mutation} ${JSON.stringify(input)}\nanswered ${text.slice(0, 1000)}`);
  return body.data.it;
}
const changes = async (): Promise<number> => world.database.db.revision.count();

describe.each(Object.keys(CASES))('%s', (mutation) => {
  it('runs once for two requests with one key, concurrent or in sequence', async () => {
    const input = { ...CASES[mutation]![1](), idempotencyKey: world.id() };
    const both = await Promise.all([create(mutation, input), create(mutation, input)]);
    const revisions = await changes();
    const third = await create(mutation, Object.fromEntries(Object.entries(input).reverse()));
    expect(third).toEqual({ made: expect.any(Object), errors: [] });
    expect(both).toEqual([third, third]);
    expect(await changes()).toBe(revisions);
  });

  it('runs once for ten concurrent requests with one key', async () => {
    const input = { ...CASES[mutation]![1](), idempotencyKey: world.id() };
    const revisions = await changes();
    const all = await tenAtOnce(world, () => create(mutation, input));
    expect(all).toEqual(all.map(() => ({ made: all[0].made, errors: [] })));
    const ten = (await changes()) - revisions;
    await create(mutation, { ...CASES[mutation]![1](), idempotencyKey: world.id() });
    expect((await changes()) - revisions).toBe(2 * ten);
  });

  it('prevents another mutation from using its key', async () => {
    const idempotencyKey = world.id();
    await create(mutation, { ...CASES[mutation]![1](), idempotencyKey });
    const other = { name: fresh(), idempotencyKey };
    const [refused] = (await create(mutation === 'createGroup' ? 'createDataset' : 'createGroup', other)).errors;
    expect(refused).toMatchObject({ code: 'VALIDATION', path: ['idempotencyKey'] });
  });
});

describe('a token', () => {
  it('has a secret that is returned once and not stored', async () => {
    const query = `mutation ($input: CreateTokenInput!) { it: createToken(input: $input) {
      created { secret token { id } } errors { code message path } } }`;
    const input = { name: fresh(), scope: 'READ', idempotencyKey: world.id() };
    const make = async (more = {}) =>
      (await world.graph(query, { input: { ...input, ...more } }, { as: admin })).body.data.it;
    const first = await make();
    expect(first).toEqual({ created: { secret: expect.any(String), token: { id: expect.any(String) } }, errors: [] });
    expect(await make()).toEqual({ created: { secret: null, token: first.created.token }, errors: [] });
    expect((await make({ scope: 'WRITE' })).errors).toMatchObject([{ path: ['idempotencyKey'] }]);
    const stored = JSON.stringify([
      await world.database.db.idempotencyKey.findMany(),
      await world.database.db.apiToken.findMany(),
    ]);
    expect(stored).not.toContain(first.created.secret);
  });
});

describe('an invitation', () => {
  it('creates one user for ten requests with one key', async () => {
    const { name: group } = await world.make.group();
    const query = `mutation ($input: InviteUserInput!) { it: inviteUser(input: $input) {
      invitation { mailed user { databaseId name } } errors { code message path } } }`;
    const input = { email: 'guest@example.com', group, capacity: 'MEMBER', idempotencyKey: world.id() };
    const invite = async (more: object = {}) =>
      (await world.graph(query, { input: { ...input, ...more } }, { as: admin })).body.data.it;
    const [one, ...others] = await tenAtOnce(world, () => invite());
    expect(one).toMatchObject({ invitation: { user: { databaseId: expect.any(String) } }, errors: [] });
    expect(others.map(({ invitation }) => invitation.user)).toEqual(Array(9).fill(one.invitation.user));
    expect(await invite()).toEqual({ invitation: { mailed: false, user: one.invitation.user }, errors: [] });
    expect(await world.database.db.user.count({ where: { email: input.email } })).toBe(1);
    expect((await invite({ capacity: 'EDITOR' })).errors).toMatchObject([
      { code: 'VALIDATION', path: ['idempotencyKey'] },
    ]);
    expect((await invite({ idempotencyKey: null })).invitation.user).not.toEqual(one.invitation.user);
  });
});

describe('a key', () => {
  it('can be used again after a refused creation', async () => {
    const idempotencyKey = fresh();
    const refused = await create('createDataset', { name: 'NOT A NAME', idempotencyKey });
    expect(refused).toMatchObject({ made: null, errors: [{ path: ['name'] }] });
    expect(await create('createDataset', { name: fresh(), idempotencyKey })).toMatchObject({ errors: [] });
  });

  it('belongs to its user: another user creates another object with the same key', async () => {
    const [one, two] = [await world.make.sysadmin(), await world.make.sysadmin()];
    const idempotencyKey = fresh();
    const of = (as: TestUser) => create('createRelatedItem', { title: 't', type: 'idea', idempotencyKey }, as);
    expect((await of(one)).made.id).not.toBe((await of(two)).made.id);
  });

  it.each([
    ['', 'Must have 1 to 255'],
    [' ', 'Must have 1 to 255'],
    ['x'.repeat(256), 'Must have 1 to 255'],
  ])('is refused with an invalid length: %j', async (idempotencyKey, why) => {
    const { errors } = await create('createDataset', { name: fresh(), idempotencyKey });
    expect(errors).toEqual([{ code: 'VALIDATION', message: expect.stringContaining(why), path: ['idempotencyKey'] }]);
  });

  it('is refused from visitors', async () => {
    const { errors } = await create('createDataset', { name: fresh(), idempotencyKey: 'k' }, null);
    expect(errors).toEqual([expect.objectContaining({ path: ['idempotencyKey'] })]);
  });

  it('returns NOT_FOUND after its object was purged', async () => {
    const input = { name: fresh(), idempotencyKey: fresh() };
    await create('createDataset', input);
    await world.result('dataset_purge', { id: input.name }, { as: admin });
    const { made, errors } = await create('createDataset', input);
    expect({ made, errors }).toEqual({ made: null, errors: [expect.objectContaining({ code: 'NOT_FOUND' })] });
  });

  it('expires after a day', async () => {
    const input = { title: 't', type: 'idea', idempotencyKey: fresh() };
    const first = await create('createRelatedItem', input);
    await world.database.db.idempotencyKey.updateMany({ data: { createdAt: new Date(Date.now() - 25 * 3_600_000) } });
    const second = await create('createRelatedItem', input);
    expect(second.made.id).not.toBe(first.made.id);
    expect((await create('createRelatedItem', input)).made.id).toBe(second.made.id);
    await world.database.db.idempotencyKey.updateMany({ data: { createdAt: new Date(Date.now() - 25 * 3_600_000) } });
    const before = await world.database.db.idempotencyKey.count();
    await create('createRelatedItem', { ...input, idempotencyKey: fresh() });
    expect(await world.database.db.idempotencyKey.count()).toBeLessThan(before);
  });
});
