/** API tokens: creation, scopes, listing, expiry and revocation. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { publicSchema } from '../../src/graph/schema.ts';
import type { TestUser } from '../helpers/make.ts';
import { minimal } from '../helpers/mutations.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { tenAtOnce } from '../helpers/writers.ts';

let world: World;
let admin: TestUser;
let ann: TestUser;
let bob: TestUser;

beforeAll(async () => {
  world = await createWorld({ 'catalog.action_api.status': 'http' }, { counts: true });
  admin = await world.make.sysadmin();
  [ann, bob] = [await world.make.user({ name: 'ann' }), await world.make.user({ name: 'bob' })];
});
afterAll(() => world.end());

const create = async (as: TestUser, params: object = {}): Promise<string> =>
  (await world.result('api_token_create', { name: 'script', ...params }, { as })).token;
const bearer = (token: string) => ({ headers: { authorization: token } });
const whoIs = async (token: string) =>
  (await world.graph('{ viewer { name email apiKey tokens { name } } }', {}, bearer(token))).body.data.viewer;
const list = (as: TestUser, params: object = {}) => world.result('api_token_list', params as never, { as });
const sql = (text: string) => world.database.sql.rows<any>({ text });

describe('api_token_create', () => {
  it('returns a token that is accepted in every header that takes a key', async () => {
    const token = await create(ann, { user: 'ann' });
    expect(token).toMatch(/^cgt_[\w-]{43}$/);
    for (const headers of [
      { authorization: token },
      { authorization: `Bearer ${token}` },
      { 'x-ckan-api-key': token },
      { 'x-catalog-api-key': token },
    ] as Record<string, string>[])
      expect((await world.graph('{ viewer { name } }', {}, { headers })).body.data.viewer).toEqual({ name: 'ann' });
    expect(await whoIs(`${token}x`)).toBeNull();
  });

  it('stores only a hash', async () => {
    const token = await create(ann);
    expect(
      (await sql('SELECT t::text AS row FROM api_token t')).filter(({ row }) => row.includes(token.slice(4))),
    ).toEqual([]);
    expect((await sql('SELECT c.detail::text AS row FROM change c')).filter(({ row }) => row.includes(token))).toEqual(
      [],
    );
  });

  it('allows only the user and system administrators', async () => {
    expect(await whoIs(await create(admin, { user: 'bob' }))).toMatchObject({ name: 'bob' });
    for (const as of [bob, null])
      expect(await world.action('api_token_create', { user: 'ann', name: 'x' }, { as })).toMatchObject({ status: 403 });
    expect(await world.action('api_token_create', { user: 'none', name: 'x' }, { as: admin })).toMatchObject({
      status: 404,
    });
  });

  it('requires the current password from callers who are signed in by session', async () => {
    const made = { name: 'signed-in', email: 'signed-in@example.org', password: 'correct horse' };
    const { apikey } = await world.result('user_create', made, { as: admin });
    const { session } = (
      await world.graph(
        'mutation { login(input: { login: "signed-in", password: "correct horse" }) { session { secret } } }',
      )
    ).body.data.login;
    const refused = async (params: object) =>
      (await world.action('api_token_create', { name: 'x', ...params }, bearer(session.secret))).body.error;
    for (const scope of ['read', 'write', 'admin'])
      expect(await refused({ scope, expires_in: 60 })).toMatchObject({
        current_password: [expect.stringContaining('current password')],
      });
    expect(await refused({ current_password: 'wrong' })).toMatchObject({ __type: 'Authorization Error' });
    expect(await world.result('api_token_list', {}, bearer(session.secret))).toEqual([]);
    const right = { name: 'x', current_password: 'correct horse' };
    expect(await whoIs((await world.result('api_token_create', right, bearer(session.secret))).token)).toMatchObject({
      name: 'signed-in',
    });
    const { token } = await world.result('api_token_create', { name: 'by key' }, bearer(apikey));
    expect(await whoIs(token)).toMatchObject({ name: 'signed-in' });
    expect(await world.result('api_token_create', { name: 'by token' }, bearer(token))).toMatchObject({
      token: expect.any(String),
    });
  });

  it('reports every invalid parameter', async () => {
    const refused = async (params: object) =>
      (await world.action('api_token_create', params as never, { as: ann })).body.error;
    expect(await refused({})).toMatchObject({ __type: 'Validation Error', name: ['Missing value'] });
    expect(await refused({ name: '   ', expires_in: 1e15 })).toMatchObject({
      name: ['Missing value'],
      expires_in: [expect.stringContaining('seconds')],
    });
    expect(await refused({ name: 'x'.repeat(101) })).toMatchObject({ name: [expect.stringContaining('100')] });
    expect(await refused({ name: 'x', scope: 'root' })).toMatchObject({ scope: ['Must be one of read, write, admin'] });
    expect(await refused({ name: 'x', expires_in: 0 })).toMatchObject({ expires_in: ['Must be at least 1'] });
  });

  it('accepts an expiry beyond the range of a GraphQL Int', async () => {
    const { body } = await world.action('api_token_create', { name: 'long', expires_in: 3e9 }, { as: ann });
    expect(body.result.token).toEqual(expect.any(String));
    await world.action('api_token_revoke', { token: body.result.token }, { as: ann });
  });

  it('limits a user to 100 tokens', async () => {
    const many = await world.make.user();
    await sql(`INSERT INTO api_token (id, user_id, name, token_hash, scope, created_at)
      SELECT 'many' || n, '${many.id}', 'n', 'many' || n, 'read', now() FROM generate_series(1, 99) n`);
    const answers = await tenAtOnce(world, () => world.action('api_token_create', { name: 'x' }, { as: many }));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  });
});

describe('api_token_list', () => {
  it('shows the metadata of tokens, never the tokens', async () => {
    const user = await world.make.user({ name: 'lister' });
    expect(await list(user)).toEqual([]);
    const first = await create(user, { name: 'first', scope: 'read', expires_in: 2, unit: 86_400 });
    await create(user, { name: 'second' });
    await whoIs(first);
    await world.app.settle(); // written after the answer
    const tokens = await list(user, { user_id: 'lister' });
    expect(tokens).toEqual([
      {
        id: expect.any(String),
        user_id: user.id,
        name: 'first',
        scope: 'read',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/),
        last_access: expect.stringMatching(/000$/),
        expires_at: expect.any(String),
      },
      expect.objectContaining({ name: 'second', scope: 'admin', last_access: null, expires_at: null }),
    ]);
    expect(Date.parse(tokens[0].expires_at) - Date.parse(tokens[0].created_at)).toBe(2 * 86_400_000);
    expect(JSON.stringify(tokens)).not.toContain('cgt_');
  });

  it('allows only the user and system administrators', async () => {
    expect(await list(admin, { user_id: 'ann' })).not.toEqual([]);
    for (const as of [bob, null])
      expect(await world.action('api_token_list', { user_id: 'ann' }, { as })).toMatchObject({ status: 403 });
    const { body } = await world.graph('{ user(id: "ann") { tokens { name } } }', {}, { as: bob });
    expect(body.data.user.tokens).toBeNull();
  });

  it('sends one statement for many users', async () => {
    const statements = await world.statementsOf(() =>
      world.graph('{ users { nodes { tokens { name } } } }', {}, { as: admin }),
    );
    expect(statements.filter((text) => text.includes('api_token'))).toHaveLength(1);
  });

  it('writes the last use at most once a minute', async () => {
    const token = await create(ann);
    await whoIs(token);
    await world.app.settle();
    const statements = await world.statementsOf(() => whoIs(token));
    expect(statements.filter((text) => text.startsWith('UPDATE'))).toEqual([]);
  });
});

describe('api_token_revoke', () => {
  it('revokes a token by its id or by its value', async () => {
    const [one, two] = [await create(ann, { name: 'one' }), await create(ann, { name: 'two' })];
    const { id } = (await list(ann)).find(({ name }: { name: string }) => name === 'one');
    expect(await world.action('api_token_revoke', { jti: id }, { as: bob })).toMatchObject({ status: 404 });
    expect(await world.action('api_token_revoke', { jti: id })).toMatchObject({ status: 403 });
    expect(await world.result('api_token_revoke', { jti: id }, { as: ann })).toBeNull();
    expect(await whoIs(one)).toBeNull();
    expect(await whoIs(two)).not.toBeNull();
    expect(await world.result('api_token_revoke', { token: two }, { as: bob })).toBeNull();
    expect(await whoIs(two)).toBeNull();
    expect(await world.action('api_token_revoke', { token: two }, { as: ann })).toMatchObject({ status: 404 });
  });

  it('requires exactly one of jti and token', async () => {
    for (const params of [{}, { jti: 'x', token: 'y' }, { jti: '', token: '' }])
      expect(await world.action('api_token_revoke', params, { as: ann })).toMatchObject({ status: 409 });
  });
});

describe('a token', () => {
  it('stops working when it expires or its user is deleted', async () => {
    const token = await create(bob, { expires_in: 60 });
    expect(await whoIs(token)).not.toBeNull();
    await sql(`UPDATE api_token SET expires_at = now() - interval '1 second' WHERE user_id = '${bob.id}'`);
    expect(await whoIs(token)).toBeNull();
    const gone = await world.make.user({ name: 'gone' });
    const last = await create(gone);
    await world.result('user_delete', { id: 'gone' }, { as: admin });
    expect(await whoIs(last)).toBeNull();
    await world.result('user_patch', { id: 'gone', state: 'active' }, { as: admin });
    expect(await whoIs(last)).toBeNull();
  });

  it('of scope read reads as its user, except key, e-mail and tokens, and cannot write', async () => {
    const office = await world.make.organization({ members: { [ann.id]: 'editor' } });
    const { name } = await world.make.dataset({ ownerOrganization: office.id, private: true });
    const token = await create(ann, { scope: 'read' });
    expect(await world.result('package_show', { id: name }, bearer(token))).toMatchObject({ name });
    expect(await whoIs(token)).toEqual({ name: 'ann', email: null, apiKey: null, tokens: null });
    const refused = await world.action('package_patch', { id: name, title: 'New' }, bearer(token));
    expect(refused).toMatchObject({
      status: 403,
      body: { error: { message: 'Access denied: this token is read-only' } },
    });
    const body = JSON.stringify({ title: 'New' });
    const legacy = await world.request(`/api/2/rest/dataset/${name}`, {
      method: 'PUT',
      body,
      headers: { authorization: token },
    });
    expect(legacy).toMatchObject({ status: 403, body: 'Access denied - this token is read-only' });
    const form = new FormData();
    form.set('package_id', name);
    form.set('upload', new Blob(['a,b']), 'a.csv');
    const sent = await fetch(`${world.base}/api/3/action/resource_create`, {
      method: 'POST',
      headers: { authorization: token },
      body: form,
    });
    expect(sent.status).toBe(403);
  });

  it('of scope read is refused by every mutation', async () => {
    const token = await create(admin, { scope: 'read' });
    const fields = Object.values(publicSchema.getMutationType()!.getFields());
    for (const field of fields) {
      const { body } = await world.graph(minimal(field), {}, bearer(token));
      expect([field.name, body.data?.[field.name]?.errors?.[0]?.message]).toEqual([
        field.name,
        'Access denied: this token is read-only',
      ]);
    }
  });

  it('of scope write writes as its user, but cannot read or change the account', async () => {
    const office = await world.make.organization({ members: { [ann.id]: 'editor' } });
    const { name } = await world.make.dataset({ ownerOrganization: office.id });
    const token = await create(ann, { scope: 'write' });
    expect(await world.result('package_patch', { id: name, title: 'New' }, bearer(token))).toMatchObject({
      title: 'New',
    });
    expect(await whoIs(token)).toEqual({ name: 'ann', email: null, apiKey: null, tokens: null });
    for (const [action, params] of [
      ['user_patch', { id: 'ann', about: 'x' }],
      ['user_update', { id: 'ann', email: 'x@example.org' }],
      ['user_generate_apikey', { id: 'ann' }],
      ['api_token_create', { name: 'x' }],
      ['api_token_list', {}],
    ] as const)
      expect(await world.action(action, params, bearer(token))).toMatchObject({ status: 403 });
    const { id } = (await list(ann))[0];
    expect(await world.action('api_token_revoke', { jti: id }, bearer(token))).toMatchObject({ status: 404 });
    const change =
      'mutation { changePassword(input: { currentPassword: "x", newPassword: "long enough" }) { errors { code } } }';
    expect((await world.graph(change, {}, bearer(token))).body.data.changePassword.errors).toEqual([
      { code: 'NOT_AUTHORIZED' },
    ]);
  });

  it('of a system administrator has administrator permissions only with scope admin', async () => {
    for (const [scope, status] of [
      ['read', 403],
      ['write', 403],
      ['admin', 200],
    ] as const) {
      const token = await create(admin, { scope });
      expect(await world.action('get_site_user', {}, bearer(token))).toMatchObject({ status });
    }
    const token = await create(admin, { scope: 'write' });
    expect(await world.action('user_patch', { id: 'ann', sysadmin: true }, bearer(token))).toMatchObject({
      status: 403,
    });
  });
});
