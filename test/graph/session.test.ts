/** Sign-in by password, the lifetime of sessions, limits on guessing, and registration. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { argonThreads } from '../../src/accounts/password/argon.ts';
import { login } from '../../src/accounts/session/session.service.ts';
import { ActionUserShowDocument } from '../../src/generated/operations.ts';
import { anonymous } from '../../src/kernel/call.ts';
import { createMailbox } from '../helpers/mail.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
const PASSWORD = 'correct horse';
/** Wrong passwords before the lock. Few, because each check takes time. */
const MAX = 5;

const LOGIN = `mutation ($login: String!, $password: String!) {
  login(input: { login: $login, password: $password }) { session { secret expiresAt user { name email } } errors { code message path } } }`;
const VIEWER = '{ viewer { name email } }';
const WRONG = [{ code: 'NOT_AUTHORIZED', message: 'Access denied: Login failed. Bad username or password.', path: [] }];

const bearer = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } });
const signIn = async (name: string, password = PASSWORD) =>
  (await world.graph(LOGIN, { login: name, password })).body.data.login;
const secretOf = async (name: string, password = PASSWORD): Promise<string> =>
  (await signIn(name, password)).session.secret;
const viewer = async (secret: string) => (await world.graph(VIEWER, {}, bearer(secret))).body.data.viewer;
const makeUser = (name: string, more: object = {}) =>
  world.result('user_create', { name, email: `${name}@example.org`, password: PASSWORD, ...more }, { as: admin });
/** A login from another address. */
const loginFrom = (address: string, name: string, password = PASSWORD) =>
  login(world.app.callAs(anonymous(address)), { login: name, password });
const tries = async (many: number, work: (at: number) => Promise<unknown>) => {
  const kinds: string[] = [];
  for (let at = 0; at < many; at += 1)
    kinds.push(
      await work(at).then(
        () => 'done',
        (refusal) => refusal.kind,
      ),
    );
  return kinds;
};

beforeAll(async () => {
  world = await createWorld({ 'catalog.auth.login_attempts': MAX }, { counts: true });
  admin = await world.make.sysadmin();
  await makeUser('ann');
});
afterAll(() => world.end());

describe('login', () => {
  it('returns a secret that works as a key until logout', async () => {
    const { session, errors } = await signIn('ann');
    expect(errors).toEqual([]);
    expect(session).toMatchObject({
      secret: expect.stringMatching(/^cgs_[\w-]{43}$/),
      user: { name: 'ann', email: null },
    });
    expect(Date.parse(session.expiresAt) - Date.now()).toBeGreaterThan(1_209_000_000);
    expect(await viewer(session.secret)).toEqual({ name: 'ann', email: 'ann@example.org' });
    const { body } = await world.graph(
      'mutation { logout(input: {}) { ended errors { code } } }',
      {},
      bearer(session.secret),
    );
    expect(body.data.logout).toEqual({ ended: true, errors: [] });
    expect(await viewer(session.secret)).toBeNull();
  });

  it('accepts the e-mail address, ignoring case', async () => {
    expect((await signIn('ANN@example.org')).session.user.name).toBe('ann');
  });

  it('resolves a shared e-mail address to the oldest active account', async () => {
    await makeUser('twin-gone', { email: 'twins@example.org', state: 'deleted' });
    await makeUser('twin-old', { email: 'twins@example.org' });
    await makeUser('twin-copy', { email: 'Twins@example.org', password: 'another horse' });
    expect((await signIn('twins@example.org')).session.user.name).toBe('twin-old');
    expect(await signIn('twins@example.org', 'another horse')).toEqual({ session: null, errors: WRONG });
    expect((await signIn('twin-copy', 'another horse')).session.user.name).toBe('twin-copy');
  });

  it('returns the same error for every failed login', async () => {
    await makeUser('pending', { state: 'pending' });
    await makeUser('deleted', { state: 'deleted' });
    await world.make.user({ name: 'passwordless' });
    for (const [name, password] of [
      ['ann', 'wrong'],
      ['ann', ''],
      ['ann', `${PASSWORD} `],
      ['Ann', PASSWORD],
      ['nobody', PASSWORD],
      ['', ''],
      ['pending', PASSWORD],
      ['deleted', PASSWORD],
      ['passwordless', 'whatever'],
    ] as const)
      await expect(loginFrom(`198.51.100.${name.length}`, name, password)).rejects.toMatchObject({
        kind: 'NOT_AUTHORIZED',
        message: 'Login failed. Bad username or password.',
      });
  });

  it('stores nothing that could be used to sign in', async () => {
    const secret = await secretOf('ann');
    const rows = await world.database.sql.rows<{ row: string }>({ text: 'SELECT s::text AS row FROM user_session s' });
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ row }) => row.includes(secret) || row.includes(secret.slice(4)))).toEqual([]);
  });

  it('ends the previous session of the caller', async () => {
    const before = await secretOf('ann');
    await world.graph(LOGIN, { login: 'ann', password: PASSWORD }, bearer(before));
    expect(await viewer(before)).toBeNull();
  });
});

describe('a session', () => {
  const later = (seconds: number) =>
    world.database.sql.rows({ text: `UPDATE user_session SET used_at = used_at - make_interval(secs => ${seconds})` });

  it('expires when unused, and is extended by use', async () => {
    const secret = await secretOf('ann');
    await later(86_000);
    expect(await viewer(secret)).not.toBeNull();
    await world.app.settle(); // written after the answer
    await later(86_000);
    expect(await viewer(secret)).not.toBeNull();
    await later(86_500);
    await later(86_500);
    expect(await viewer(secret)).toBeNull();
  });

  it('is written at most once a minute', async () => {
    const secret = await secretOf('ann');
    const statements = await world.statementsOf(() => viewer(secret));
    expect(statements.filter((text) => text.startsWith('UPDATE'))).toEqual([]);
  });

  it('ends at its absolute expiry time', async () => {
    const secret = await secretOf('ann');
    await world.database.sql.rows({ text: `UPDATE user_session SET expires_at = now() - interval '1 second'` });
    expect(await viewer(secret)).toBeNull();
  });

  it('ends when an administrator sets the password or deletes the user', async () => {
    await makeUser('bob');
    const first = await secretOf('bob');
    await world.result('user_patch', { id: 'bob', password: 'another horse' }, { as: admin });
    expect(await viewer(first)).toBeNull();
    const second = await secretOf('bob', 'another horse');
    await world.result('user_delete', { id: 'bob' }, { as: admin });
    expect(await viewer(second)).toBeNull();
    await world.result('user_patch', { id: 'bob', state: 'active' }, { as: admin });
    expect(await viewer(second)).toBeNull();
  });

  it('ends with all other sessions of its user on request', async () => {
    const [one, two] = [await secretOf('ann'), await secretOf('ann')];
    const everywhere = 'mutation { logout(input: { everywhere: true }) { ended errors { code } } }';
    expect((await world.graph(everywhere)).body.data.logout).toMatchObject({ errors: [{ code: 'NOT_AUTHORIZED' }] });
    expect((await world.graph(everywhere, {}, bearer(one))).body.data.logout).toEqual({ ended: true, errors: [] });
    expect([await viewer(one), await viewer(two)]).toEqual([null, null]);
    expect((await world.graph('mutation { logout(input: {}) { ended } }')).body.data.logout).toEqual({ ended: false });
  });

  it('does not change the password without the current one', async () => {
    const secret = await secretOf('ann');
    const { body } = await world.graph(
      'mutation { updateUser(input: { user: "ann", password: "stolen horse" }) { errors { code path } } }',
      {},
      bearer(secret),
    );
    expect(body.data.updateUser.errors).toEqual([{ code: 'VALIDATION', path: ['password'] }]);
  });

  it('has the roles of its user', async () => {
    const { id } = await makeUser('editor');
    const office = await world.make.organization({ members: { [id]: 'editor' } });
    const dataset = await world.make.dataset({ ownerOrganization: office.id, private: true });
    const secret = await secretOf('editor');
    const { body } = await world.action('package_show', { id: dataset.name }, bearer(secret));
    expect(body.success).toBe(true);
  });
});

describe('wrong passwords', () => {
  const wrong = (address: string, name: string) => tries(MAX + 1, () => loginFrom(address, name, 'wrong'));
  const ALL = [...Array(MAX).fill('NOT_AUTHORIZED'), 'LIMIT'];

  it('lock an account for a while, even one that does not exist', async () => {
    await makeUser('victim');
    for (const name of ['victim', 'nobody-at-all'])
      expect(await tries(MAX + 1, (at) => loginFrom(`203.0.113.${at}`, name, 'wrong'))).toEqual(ALL);
    await expect(loginFrom('192.0.2.1', ' VICTIM')).rejects.toMatchObject({ kind: 'LIMIT' });
    await expect(loginFrom('192.0.2.1', 'victim')).rejects.toMatchObject({
      kind: 'LIMIT',
      message: 'Too many attempts. Try again in 15 minutes (catalog.auth.login_attempts).',
    });
    await world.database.sql.rows({ text: `UPDATE attempt SET since = since - interval '15 minutes'` });
    await expect(loginFrom('192.0.2.1', 'victim')).resolves.toMatchObject({ user: { name: 'victim' } });
  });

  it('from other addresses do not lock out a user at a known address', async () => {
    await makeUser('regular');
    await loginFrom('192.0.2.7', 'regular');
    await wrong('192.0.2.8', 'regular');
    await expect(loginFrom('192.0.2.9', 'regular')).rejects.toMatchObject({ kind: 'LIMIT' });
    await expect(loginFrom('192.0.2.7', 'regular')).resolves.toMatchObject({ user: { name: 'regular' } });
    expect(await wrong('192.0.2.7', 'regular')).toEqual(ALL);
  });

  it('lock an address, or the whole network of an IPv6 address', async () => {
    const guess = (at: number) => loginFrom(`2001:db8::${at}`, `guess-${at}`, 'wrong');
    expect(await tries(MAX + 1, guess)).toEqual(ALL);
    await expect(loginFrom('2001:db8::ffff', 'ann')).rejects.toMatchObject({ kind: 'LIMIT' });
    await expect(loginFrom('2001:db8:0:1::1', 'ann')).resolves.toBeDefined();
  });

  it('are counted one by one if they are concurrent', async () => {
    const kinds = await Promise.all(
      Array.from({ length: 12 }, () => loginFrom('192.0.2.20', 'ann', 'wrong').catch((refusal) => refusal.kind)),
    );
    expect(kinds.filter((kind) => kind === 'NOT_AUTHORIZED').length).toBe(MAX);
  });

  it('are reset by the correct password', async () => {
    await makeUser('clumsy');
    for (let round = 0; round < 3; round += 1) {
      expect(await tries(MAX - 1, () => loginFrom('192.0.2.30', 'clumsy', 'wrong'))).toEqual(
        Array(MAX - 1).fill('NOT_AUTHORIZED'),
      );
      await loginFrom('192.0.2.30', 'clumsy');
    }
  });

  it('are not counted if the check is refused for lack of capacity', async () => {
    await makeUser('crowded');
    const { derive } = argonThreads(1, 0); // no capacity at all
    const known = world.app.callAs(anonymous('192.0.2.50'));
    const call = { ...known, secrets: { ...known.secrets, argon: derive } };
    const inTheCrowd = () => login(call, { login: 'crowded', password: 'wrong' });
    expect(await tries(2 * MAX, inTheCrowd)).toEqual(Array(2 * MAX).fill('LIMIT'));
    await expect(inTheCrowd()).rejects.toThrow('Too many passwords are being checked');
    expect(await wrong('192.0.2.50', 'crowded')).toEqual(ALL);
    expect(await tries(2, inTheCrowd)).toEqual(['LIMIT', 'LIMIT']);
    await expect(loginFrom('192.0.2.50', 'crowded')).rejects.toThrow('Too many attempts');
  });

  it('are counted without storing the typed login or the address', async () => {
    await loginFrom('192.0.2.40', 'my-secret-password', 'ann').catch(() => {});
    const rows = await world.database.sql.rows<{ row: string }>({ text: 'SELECT a::text AS row FROM attempt a' });
    expect(rows.filter(({ row }) => row.includes('my-secret-password') || row.includes('192.0.2.40'))).toEqual([]);
  });
});

describe('register', () => {
  const REGISTER = `mutation ($input: RegisterInput!) { register(input: $input) { session { secret user { name } } errors { code message path } } }`;
  const register = async (at: World, input: object, options: object = {}) =>
    (await at.graph(REGISTER, { input }, options)).body.data.register;

  it('creates an account, signed in, without privileges', async () => {
    const { session } = await register(
      world,
      { name: 'new-one', email: 'n@example.org', password: PASSWORD },
      { as: admin },
    );
    expect(await viewer(session.secret)).toEqual({ name: 'new-one', email: 'n@example.org' });
    const { user } = await world.app.run(
      ActionUserShowDocument,
      { id: 'new-one', datasets: false, followers: false },
      world.app.callAs(world.system),
    );
    expect(user).toMatchObject({ sysadmin: false, state: 'active' });
    expect((await signIn('new-one')).errors).toEqual([]);
  });

  it('names every problem', async () => {
    expect(await register(world, { name: 'Ann!', email: 'none', password: 'short' })).toEqual({
      session: null,
      errors: [
        { code: 'VALIDATION', path: ['email'], message: 'Not an e-mail address' },
        { code: 'VALIDATION', path: ['name'], message: expect.stringContaining('lowercase') },
        { code: 'VALIDATION', path: ['password'], message: expect.stringContaining('8 characters') },
      ],
    });
    expect((await register(world, { name: 'ann', email: 'x@example.org', password: PASSWORD })).errors).toEqual([
      { code: 'VALIDATION', path: ['name'], message: 'That login name is not available.' },
    ]);
  });

  it('leaves the account pending until the mailed link is used', async () => {
    const mailbox = await createMailbox();
    const confirming = await createWorld({ ...mailbox.settings, 'catalog.auth.confirm_email': true });
    const text = REGISTER.replace('session {', 'mailed session {');
    const ask = async (input: object) => (await confirming.graph(text, { input })).body.data.register;
    const input = { name: 'late', email: 'late@example.org' };
    expect((await ask({ ...input, password: PASSWORD })).errors).toEqual([
      { code: 'VALIDATION', path: ['password'], message: expect.stringContaining('Omit the password') },
    ]);
    expect(await ask(input)).toEqual({ mailed: true, session: null, errors: [] });
    const stateOf = async () => (await confirming.database.db.user.findUnique({ where: { name: 'late' } }))!.state;
    expect(await stateOf()).toBe('pending');
    expect((await confirming.graph('{ user(name: "late") { name email } }')).body.data.user?.email ?? null).toBeNull();
    const mail = await mailbox.next();
    expect([mail.recipients, mail.subject]).toEqual([['late@example.org'], expect.stringContaining('Confirm')]);
    const key = decodeURIComponent(/[?]key=(\S+)/.exec(mail.text!)![1]!);
    const reset = `mutation ($key: String!, $password: String!) {
      resetPassword(input: { key: $key, password: $password }) { user { name } errors { code } } }`;
    const { body } = await confirming.graph(reset, { key, password: PASSWORD });
    expect(body.data.resetPassword).toEqual({ user: { name: 'late' }, errors: [] });
    expect(await stateOf()).toBe('active');
    await confirming.end();
    await mailbox.end();
  });

  it('is refused when an address must be confirmed and the site sends no mail', async () => {
    const silent = await createWorld({ 'catalog.auth.confirm_email': true });
    const { errors } = await register(silent, { name: 'late', email: 'late@example.org' });
    expect(errors).toEqual([{ code: 'UNAVAILABLE', path: [], message: expect.stringContaining('smtp.server') }]);
    expect(await silent.database.db.user.count({ where: { name: 'late' } })).toBe(0);
    await silent.end();
  });

  it('is refused if the site disables it, and after too many registrations', async () => {
    const closed = await createWorld({ 'catalog.auth.create_user_via_web': false }, { counts: true });
    expect((await register(closed, { name: 'x-y', email: 'x@example.org', password: PASSWORD })).errors).toEqual([
      { code: 'NOT_AUTHORIZED', path: [], message: expect.stringContaining('registration') },
    ]);
    await closed.end();
    const all = await tries(MAX + 1, async (at) => {
      const { errors } = await register(world, { name: `bot-${at}`, email: 'b@example.org', password: PASSWORD });
      if (errors.length > 0) throw { kind: errors[0].code };
    });
    expect(all.at(-1)).toBe('LIMIT');
  });
});
