/** Management of webhooks over GraphQL. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { toGlobalId } from '../../src/kernel/ids.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let ann: TestUser;
let bob: TestUser;
beforeAll(async () => {
  world = await createWorld({ 'catalog.webhooks.per_user': 3 });
  [admin, ann, bob] = await Promise.all([world.make.sysadmin(), world.make.user(), world.make.user()]);
});
afterAll(() => world.end());

const FIELDS = `id databaseId name url secret previousSecretUntil types organizationId batchSize owner { name } state stateReason version
  cursor behind lastSuccessAt lastFailureAt lastStatus lastError failuresInARow nextTryAt deadLetters { totalCount }`;
async function mutate(mutation: string, input: object, as: TestUser | null = ann): Promise<any> {
  const Name = mutation[0]!.toUpperCase() + mutation.slice(1);
  const what = mutation === 'deleteWebhook' ? 'deletedId' : `webhook { ${FIELDS} }`;
  const query = `mutation ($input: ${Name}Input!) { it: ${mutation}(input: $input) { ${what} errors { code message path } } }`;
  const { body, text } = await world.graph(query, { input }, { as });
  if (body.errors) throw new Error(`${mutation} ${JSON.stringify(input)}\nanswered ${text.slice(0, 1000)}`);
  return body.data.it;
}
const made = async (input: object = {}, as = ann) =>
  (await mutate('createWebhook', { url: 'https://example.com/hook', ...input }, as)).webhook;
async function show(id: string, as: TestUser | null = ann): Promise<any> {
  return (await world.graph(`{ webhook(databaseId: "${id}") { ${FIELDS} } }`, {}, { as })).body;
}
afterEach(() => world.database.db.webhook.deleteMany());

it('creates a webhook with defaults, and shows its secret once', async () => {
  const webhook = await made();
  expect(webhook).toMatchObject({
    name: 'example.com',
    url: 'https://example.com/hook',
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    types: null,
    organizationId: null,
    batchSize: 100,
    owner: { name: ann.name },
    state: 'ACTIVE',
    version: 1,
    behind: 0,
    failuresInARow: 0,
    deadLetters: { totalCount: 0 },
  });
  const shown = await show(webhook.databaseId);
  expect(shown.data.webhook).toEqual({ ...webhook, secret: null });
  const row = await world.database.db.webhook.findUniqueOrThrow({ where: { id: webhook.databaseId } });
  expect(JSON.stringify({ ...row, number: 0, cursor: 0 })).not.toContain(webhook.secret.slice(6));
});

it('shows no secret when a creation is repeated with its idempotency key', async () => {
  const input = { url: 'https://example.com/', idempotencyKey: world.id() };
  const [first, second] = [await mutate('createWebhook', input), await mutate('createWebhook', input)];
  expect(first.webhook.secret).toMatch(/^whsec_/);
  expect(second.webhook).toEqual({ ...first.webhook, secret: null });
});

it('starts now, or after a cursor', async () => {
  for (let n = 0; n < 2; n++) await world.make.dataset();
  const after = (await world.graph('{ changes(first: 1) { nodes { cursor } } }')).body.data.changes.nodes[0].cursor;
  const [now, then] = [await made(), await made({ after })];
  expect(now.behind).toBe(0);
  expect(then).toMatchObject({ cursor: after });
  expect(then.behind).toBeGreaterThan(0);
});

describe('validation and permissions', () => {
  it.each([
    [{ url: 'http://example.com/' }, 'url'],
    [{ url: 'https://127.0.0.1/' }, 'url'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ types: [] }, 'types'],
    [{ batchSize: 0 }, 'batchSize'],
    [{ batchSize: 101 }, 'batchSize'],
    [{ organization: 'nowhere' }, 'organization'],
    [{ after: 'x' }, 'after'],
    [{ after: Buffer.from('[9000000]').toString('base64url') }, 'after'],
  ])('refuse %j', async (input, field) => {
    const answered = await mutate('createWebhook', { url: 'https://example.com/', ...input });
    expect(answered).toMatchObject({ webhook: null, errors: [{ code: 'VALIDATION', path: [field] }] });
    expect(await world.database.db.webhook.count()).toBe(0);
  });

  it('refuse visitors and tokens without scope ADMIN', async () => {
    expect((await mutate('createWebhook', { url: 'https://example.com/' }, null)).errors[0].code).toBe(
      'NOT_AUTHORIZED',
    );
    const token = async (scope: string) => {
      const query = `mutation { createToken(input: { name: "t", scope: ${scope} }) { created { secret } } }`;
      return { ...ann, key: (await world.graph(query, {}, { as: ann })).body.data.createToken.created.secret };
    };
    const { databaseId } = await made();
    for (const scope of ['READ', 'WRITE']) {
      const narrow = await token(scope);
      for (const [mutation, input] of Object.entries({
        createWebhook: { url: 'https://example.com/' },
        updateWebhook: { webhook: databaseId, paused: true },
        rotateWebhookSecret: { webhook: databaseId },
        deleteWebhook: { webhook: databaseId },
      }))
        expect([scope, mutation, (await mutate(mutation, input, narrow)).errors]).toMatchObject([
          scope,
          mutation,
          [{ code: 'NOT_AUTHORIZED' }],
        ]);
      expect((await show(databaseId, narrow)).errors[0].extensions.code).toBe('NOT_AUTHORIZED');
    }
    expect((await show(databaseId, await token('ADMIN'))).data.webhook.databaseId).toBe(databaseId);
  });

  it('apply the limit of webhooks to concurrent creations of a user, but not to system administrators', async () => {
    const all = await Promise.all(
      Array.from({ length: 5 }, () => mutate('createWebhook', { url: 'https://example.com/' })),
    );
    expect(all.filter(({ webhook }) => webhook !== null)).toHaveLength(3);
    expect(all.flatMap(({ errors }) => errors.map(({ code }: { code: string }) => code))).toEqual(['LIMIT', 'LIMIT']);
    for (let n = 0; n < 4; n++) expect((await made({}, admin)).owner.name).toBe(admin.name);
  });
});

it('shows a webhook to its owner and system administrators only', async () => {
  const [own, other, third] = [await made(), await made({}, bob), await made({ name: 'mine' }, admin)];
  const list = async (as: TestUser | null, args = '') =>
    (
      await world.graph(
        `{ webhooks${args} { totalCount nodes { databaseId } pageInfo { endCursor hasNextPage } } }`,
        {},
        { as },
      )
    ).body;
  const ids = ({ data }: any) => data.webhooks.nodes.map(({ databaseId }: any) => databaseId);
  expect(ids(await list(ann))).toEqual([own.databaseId]);
  expect(ids(await list(admin))).toEqual([own.databaseId, other.databaseId, third.databaseId]);
  expect(ids(await list(admin, `(user: "${bob.name}")`))).toEqual([other.databaseId]);
  expect((await list(ann, `(user: "${bob.name}")`)).errors[0].extensions.code).toBe('NOT_AUTHORIZED');
  expect((await list(null)).errors[0].extensions.code).toBe('NOT_AUTHORIZED');
  const page = (await list(admin, '(first: 2)')).data.webhooks;
  expect(page).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } });
  expect(ids(await list(admin, `(first: 2, after: "${page.pageInfo.endCursor}")`))).toEqual([third.databaseId]);
  expect((await show(own.databaseId, bob)).errors[0].extensions.code).toBe('NOT_FOUND');
  for (const [mutation, input] of Object.entries({
    updateWebhook: { paused: true },
    rotateWebhookSecret: {},
    deleteWebhook: {},
  }))
    expect((await mutate(mutation, { webhook: own.databaseId, ...input }, bob)).errors).toMatchObject([
      { code: 'NOT_FOUND' },
    ]);
  const node = `{ node(id: "${own.id}") { id } }`;
  expect((await world.graph(node, {}, { as: bob })).body.data).toEqual({ node: null });
  expect((await world.graph(node)).body.data).toEqual({ node: null });
});

it('changes only the given fields, pauses and resumes', async () => {
  const office = await world.make.organization();
  const { databaseId: webhook } = await made();
  const change = async (input: object) => (await mutate('updateWebhook', { webhook, ...input })).webhook;
  expect(
    await change({ name: 'n', url: 'https://example.org/', types: ['DATASET', 'RELATED_ITEM'], batchSize: 1 }),
  ).toMatchObject({
    name: 'n',
    url: 'https://example.org/',
    types: ['DATASET', 'RELATED_ITEM'],
    batchSize: 1,
    version: 2,
    secret: null,
  });
  expect(await change({ organization: office.name })).toMatchObject({ organizationId: office.id, name: 'n' });
  expect(await change({ paused: true })).toMatchObject({ state: 'PAUSED', batchSize: 1 });
  expect(await change({ organization: null, types: null, name: null, batchSize: null, paused: false })).toMatchObject({
    state: 'ACTIVE',
    organizationId: null,
    types: null,
    name: 'example.org',
    batchSize: 100,
    version: 5,
  });
  expect((await mutate('updateWebhook', { webhook, url: 'http://x', batchSize: 0 })).errors).toHaveLength(2);
});

it('pauses and renames a webhook with a forbidden URL, and resumes it with an allowed one only', async () => {
  const { databaseId: webhook } = await made();
  await world.database.db.webhook.update({ where: { id: webhook }, data: { url: 'http://10.0.0.1/' } });
  const change = (input: object) => mutate('updateWebhook', { webhook, ...input });
  expect((await change({ name: 'of before' })).webhook).toMatchObject({ name: 'of before', url: 'http://10.0.0.1/' });
  expect((await change({ paused: true })).webhook).toMatchObject({ state: 'PAUSED' });
  expect((await change({ paused: false })).errors).toMatchObject([{ code: 'VALIDATION', path: ['url'] }]);
  expect((await change({ url: 'http://10.0.0.1/' })).errors).toMatchObject([{ code: 'VALIDATION', path: ['url'] }]);
  expect((await change({ paused: false, url: 'https://example.org/' })).webhook).toMatchObject({ state: 'ACTIVE' });
});

it('rotates the secret, and returns the expiry of the previous one', async () => {
  const { databaseId: webhook, secret } = await made();
  const rotated = (await mutate('rotateWebhookSecret', { webhook })).webhook;
  expect(rotated).toMatchObject({ secret: expect.stringMatching(/^whsec_/), version: 2 });
  expect(rotated.secret).not.toBe(secret);
  expect(Date.parse(rotated.previousSecretUntil)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  expect((await show(webhook)).data.webhook).toEqual({ ...rotated, secret: null });
  expect((await mutate('rotateWebhookSecret', { webhook, overlap: 0 })).webhook.previousSecretUntil).toBeNull();
  for (const overlap of [-1, 721])
    expect((await mutate('rotateWebhookSecret', { webhook, overlap })).errors).toMatchObject([{ path: ['overlap'] }]);
});

it('deletes a webhook, which is not found afterwards', async () => {
  const { databaseId: webhook } = await made();
  expect(await mutate('deleteWebhook', { webhook })).toEqual({ deletedId: toGlobalId('Webhook', webhook), errors: [] });
  expect((await mutate('deleteWebhook', { webhook })).errors).toMatchObject([{ code: 'NOT_FOUND' }]);
  expect((await show(webhook)).errors[0].extensions.code).toBe('NOT_FOUND');
});
