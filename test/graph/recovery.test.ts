/** Password links, password resets by mail, and password changes. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { passwordResetRequest } from '../../src/accounts/recovery/recovery.service.ts';
import { login } from '../../src/accounts/session/session.service.ts';
import { anonymous } from '../../src/kernel/call.ts';
import { createMailbox, type Mailbox } from '../helpers/mail.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { tenAtOnce } from '../helpers/writers.ts';

let world: World;
let mailbox: Mailbox;
let admin: TestUser;
const OLD = 'correct horse';
const NEW = 'battery staple';

const REQUEST =
  'mutation ($user: String!) { requestPasswordReset(input: { user: $user }) { accepted errors { code message path } } }';
const RESET = `mutation ($key: String!, $password: String!) {
  resetPassword(input: { key: $key, password: $password }) { user { name state } errors { code message path } } }`;
const KEY = 'query ($key: String!) { passwordReset(key: $key) { user { name } invitation expiresAt } }';
const CHANGE = `mutation ($current: String!, $new: String!) {
  changePassword(input: { currentPassword: $current, newPassword: $new }) { user { name } errors { code message path } } }`;

const makeUser = (name: string, more: object = {}) =>
  world.result('user_create', { name, email: `${name}@example.org`, password: OLD, ...more }, { as: admin });
let address = 0;
/** A new address for each call, because attempts are counted per address too. */
const elsewhere = () => world.app.callAs(anonymous(`2001:db8:${((address += 1)).toString(16)}::1`));
const signIn = (name: string, password: string) => login(elsewhere(), { login: name, password });
const request = (user: string) => passwordResetRequest(elsewhere(), { user });
const keyIn = (text = ''): string => /\?key=(cgp_[\w-]{43})\s/.exec(text)?.[1] ?? '';
const keyFor = async (user: string): Promise<string> => {
  await request(user);
  return keyIn((await mailbox.next()).text);
};
const reset = async (key: string, password = NEW) =>
  (await world.graph(RESET, { key, password })).body.data.resetPassword;
const bearer = (secret: string) => ({ headers: { authorization: secret } });
const viewer = async (secret: string) =>
  (await world.graph('{ viewer { name } }', {}, bearer(secret))).body.data.viewer;

beforeAll(async () => {
  mailbox = await createMailbox();
  world = await createWorld(
    {
      ...mailbox.settings,
      'catalog.auth.login_attempts': 5,
      'catalog.site_title': 'City data',
    },
    { counts: true },
  );
  admin = await world.make.sysadmin();
});
afterAll(async () => {
  await world.end();
  await mailbox.end();
});

describe('createPasswordLink', () => {
  const LINK = `mutation ($user: ID!) {
    createPasswordLink(input: { user: $user }) { link { url expiresAt } errors { code } } }`;
  const link = async (user: string, as: TestUser | null) =>
    (await world.graph(LINK, { user }, { as })).body.data.createPasswordLink;

  it('gives system administrators a link that works once', async () => {
    const { id } = await world.make.user({ name: 'unmailed' });
    const { url } = (await link('unmailed', admin)).link;
    const [address, key] = url.split('?key=');
    expect(address).toMatch(new RegExp(`/user/reset/${id}$`));
    expect(await reset(key)).toMatchObject({ user: { name: 'unmailed' }, errors: [] });
    expect(await reset(key)).toMatchObject({ user: null, errors: [{ code: 'NOT_FOUND' }] });
    expect((await signIn('unmailed', NEW)).user.id).toBe(id);
  });

  it('revokes the API key and tokens only of an account that already had a password', async () => {
    const user = await world.make.user({ name: 'keyed' });
    const { token } = await world.result('api_token_create', { name: 'kept' }, { as: user });
    for (const expected of [{ name: 'keyed' }, null]) {
      const { url } = (await link('keyed', admin)).link;
      expect(await reset(url.split('?key=')[1])).toMatchObject({ errors: [] });
      for (const secret of [user.key, token]) expect(await viewer(secret)).toEqual(expected);
    }
  });

  it('refuses a session a link for its own user, who has to know the password', async () => {
    await makeUser('boss');
    await world.database.sql.rows({ text: `UPDATE user_account SET sysadmin = true WHERE name = 'boss'` });
    const { secret } = await signIn('boss', OLD);
    const bySession = async (user: string) =>
      (await world.graph(LINK, { user }, bearer(secret))).body.data.createPasswordLink;
    expect(await bySession('boss')).toEqual({ link: null, errors: [{ code: 'NOT_AUTHORIZED' }] });
    expect(await bySession('unmailed')).toMatchObject({ link: {}, errors: [] });
  });

  it('refuses other callers, and returns NOT_FOUND for missing users', async () => {
    const user = await world.make.user({ name: 'curious' });
    const gone = await world.make.user({ name: 'gone' });
    await world.result('user_delete', { id: gone.id }, { as: admin });
    for (const as of [user, null])
      expect(await link('curious', as)).toEqual({ link: null, errors: [{ code: 'NOT_AUTHORIZED' }] });
    for (const name of ['nobody', 'gone', ''])
      expect(await link(name, admin)).toEqual({ link: null, errors: [{ code: 'NOT_FOUND' }] });
  });
});

describe('a mailed key', () => {
  it('is mailed as a link and sets a password once', async () => {
    const { id } = await makeUser('ann', { fullname: 'Ann Ödel' });
    const session = await signIn('ann', OLD);
    expect((await world.graph(REQUEST, { user: 'ann' })).body.data.requestPasswordReset).toEqual({
      accepted: true,
      errors: [],
    });
    const mail = await mailbox.next();
    expect(mail).toMatchObject({
      subject: 'Choose a new password for City data',
      to: [{ name: 'Ann Ödel', address: 'ann@example.org' }],
      from: { name: 'City data' },
    });
    const key = keyIn(mail.text);
    expect(mail.text).toContain(`http://catalog.test/user/reset/${id}?key=${key}\n`);
    expect((await world.graph(KEY, { key })).body.data.passwordReset).toMatchObject({
      user: { name: 'ann' },
      invitation: false,
    });
    expect(await reset(key, 'short')).toMatchObject({
      user: null,
      errors: [{ code: 'VALIDATION', path: ['password'] }],
    });
    expect(await reset(key)).toEqual({ user: { name: 'ann', state: 'ACTIVE' }, errors: [] });
    expect(await viewer(session.secret)).toBeNull();
    await expect(signIn('ann', OLD)).rejects.toMatchObject({ kind: 'NOT_AUTHORIZED' });
    await expect(signIn('ann', NEW)).resolves.toBeDefined();
    expect(await reset(key, 'a third one')).toMatchObject({ user: null, errors: [{ code: 'NOT_FOUND' }] });
    expect((await world.graph(KEY, { key })).body.data.passwordReset).toBeNull();
  });

  it('works for only one of ten concurrent requests', async () => {
    await makeUser('racer');
    const key = await keyFor('racer');
    const answers = await tenAtOnce(world, (at) => reset(key, `password ${at}`));
    expect(answers.filter(({ errors }) => errors.length === 0)).toHaveLength(1);
  });

  it('is stored as a hash and expires', async () => {
    await makeUser('late');
    const key = await keyFor('late');
    const rows = await world.database.sql.rows<{ row: string }>({ text: 'SELECT k::text AS row FROM password_key k' });
    expect(rows.filter(({ row }) => row.includes(key.slice(4)))).toEqual([]);
    await world.database.sql.rows({ text: `UPDATE password_key SET expires_at = now() - interval '1 second'` });
    expect(await reset(key)).toMatchObject({ errors: [{ code: 'NOT_FOUND' }] });
  });

  it('is invalid after another password change or the deletion of the user', async () => {
    await makeUser('changed');
    const first = await keyFor('changed');
    await world.result('user_patch', { id: 'changed', password: 'otherwise' }, { as: admin });
    expect(await reset(first)).toMatchObject({ errors: [{ code: 'NOT_FOUND' }] });
    const second = await keyFor('changed');
    await world.result('user_delete', { id: 'changed' }, { as: admin });
    expect(await reset(second)).toMatchObject({ errors: [{ code: 'NOT_FOUND' }] });
  });

  it('is invalid after the e-mail address of the account changes', async () => {
    await makeUser('moved');
    const first = await keyFor('moved');
    await world.result('user_patch', { id: 'moved', about: 'still there' }, { as: admin });
    expect((await world.graph(KEY, { key: first })).body.data.passwordReset).not.toBeNull();
    await world.result('user_patch', { id: 'moved', email: 'elsewhere@example.org' }, { as: admin });
    expect(await reset(first)).toMatchObject({ errors: [{ code: 'NOT_FOUND' }] });
    expect(await reset(await keyFor('moved'))).toMatchObject({ errors: [] });
  });

  it('replaces the API key of its user', async () => {
    const { apikey } = await makeUser('copied');
    expect(await viewer(apikey)).toEqual({ name: 'copied' });
    await reset(await keyFor('copied'));
    expect(await viewer(apikey)).toBeNull();
    const { apikey: renewed } = await world.result('user_show', { id: 'copied' }, { as: admin });
    expect(await viewer(renewed)).toEqual({ name: 'copied' });
    await world.graph(CHANGE, { current: NEW, new: OLD }, bearer(renewed));
    expect(await viewer(renewed)).toEqual({ name: 'copied' }); // a change with the current password preserves the key
  });

  it('revokes the tokens of its user only', async () => {
    const TOKEN = 'mutation { createToken(input: { name: "kept", scope: READ }) { created { secret } } }';
    const tokenOf = async (apikey: string) =>
      (await world.graph(TOKEN, {}, bearer(apikey))).body.data.createToken.created.secret;
    const [mine, other] = [await makeUser('hijacked'), await makeUser('bystander')];
    const [stolen, kept] = [await tokenOf(mine.apikey), await tokenOf(other.apikey)];
    expect(await viewer(stolen)).toEqual({ name: 'hijacked' });
    await reset(await keyFor('hijacked'));
    expect([await viewer(stolen), await viewer(kept)]).toEqual([null, { name: 'bystander' }]);
  });

  it.each(['', 'x', 'cgp_', `cgp_${'x'.repeat(43)}`, 'x'.repeat(5_000)])('cannot be %j', async (key) => {
    expect(await reset(key)).toMatchObject({ user: null, errors: [{ code: 'NOT_FOUND' }] });
  });

  it('activates an invited user and replaces the API key', async () => {
    const { apikey } = await makeUser('guest', { state: 'pending' });
    await expect(signIn('guest', OLD)).rejects.toMatchObject({ kind: 'NOT_AUTHORIZED' });
    const key = await keyFor('guest');
    expect((await world.graph(KEY, { key })).body.data.passwordReset).toMatchObject({ invitation: true });
    expect(await reset(key)).toMatchObject({ user: { state: 'ACTIVE' } });
    await expect(signIn('guest', NEW)).resolves.toBeDefined();
    expect(await viewer(apikey)).toBeNull();
  });

  it('ends a lock-out caused by wrong passwords', async () => {
    await makeUser('target');
    for (let at = 0; at < 6; at += 1) await signIn('target', 'wrong').catch(() => {});
    await expect(signIn('target', OLD)).rejects.toMatchObject({ kind: 'LIMIT' });
    await reset(await keyFor('target'));
    await expect(signIn('target', NEW)).resolves.toBeDefined();
  });

  it('is logged without any secret', async () => {
    await makeUser('logged');
    const key = await keyFor('logged');
    await reset(key, 'a very secret one');
    const [row] = await world.database.sql.rows<{ detail: object; author: string }>({
      text: `SELECT c.detail, r.author FROM change c JOIN revision r ON r.id = c.revision_id ORDER BY c.sequence DESC LIMIT 1`,
    });
    expect(row).toEqual({ author: 'logged', detail: { name: 'logged', fields: ['apiKey', 'password'] } });
  });
});

describe('requestPasswordReset', () => {
  it('gives known and unknown users the same answer, and mails only known ones', async () => {
    await makeUser('known');
    const statements = await Promise.all(
      ['known', 'unknown', 'known@example.org', 'unknown@example.org', ''].map(async (user) => {
        const answer = await request(user);
        return { answer };
      }),
    );
    expect(statements).toEqual(Array(5).fill({ answer: true }));
    const first = await mailbox.next();
    const second = await mailbox.next();
    expect([first, second].map(({ recipients }) => recipients)).toEqual([['known@example.org'], ['known@example.org']]);
    expect(mailbox.received).toEqual([]);
  });

  it('counts the attempt before it looks up the user', async () => {
    const seen = await world.statementsOf(() => request('known'));
    const counted = seen.findIndex((text) => text.includes('INTO attempt'));
    const looked = seen.findIndex((text) => text.includes('lower(email)'));
    expect(counted).toBe(0);
    expect(looked === -1 || looked > counted).toBe(true);
    await mailbox.next();
  });

  it('mails every account of an address, and none with an invalid address', async () => {
    await makeUser('shared-a', { email: 'Shared@example.org' });
    await makeUser('shared-b', { email: 'shared@example.org' });
    await makeUser('odd', { email: 'odd@example.org, eve@example.org' });
    await request('odd');
    await request('shared@EXAMPLE.org');
    const texts = [(await mailbox.next()).text, (await mailbox.next()).text];
    expect(texts.map((text) => /account (\S+)/.exec(text ?? '')?.[1])).toEqual(['shared-a', 'shared-b']);
    expect(mailbox.received).toEqual([]);
  });

  it('mails the oldest account of an address, even if many newer accounts share it', async () => {
    await makeUser('zoe', { email: 'zoe@example.org' });
    for (let at = 0; at < 5; at += 1) await makeUser(`copy-${at}`, { email: 'zoe@example.org' });
    await request('zoe@example.org');
    const texts: (string | undefined)[] = [];
    for (let at = 0; at < 5; at += 1) texts.push((await mailbox.next()).text);
    expect(texts.map((text) => /account (\S+)/.exec(text ?? '')?.[1])).toContain('zoe');
  });

  it('refuses too many requests, for missing users too', async () => {
    await makeUser('bombed');
    for (const user of ['bombed', 'not-there']) {
      for (let at = 0; at < 3; at += 1) await request(user);
      await expect(request(user)).rejects.toMatchObject({ kind: 'LIMIT' });
    }
    for (let at = 0; at < 3; at += 1) await mailbox.next();
    const here = world.app.callAs(anonymous('192.0.2.1'));
    for (let at = 0; at < 5; at += 1) await passwordResetRequest(here, { user: `somebody-${at}` });
    await expect(passwordResetRequest(here, { user: 'another' })).rejects.toMatchObject({ kind: 'LIMIT' });
  });

  it('is refused if the site sends no mail', async () => {
    const mute = await createWorld({}, { counts: true });
    expect((await mute.graph(REQUEST, { user: 'ann' })).body.data.requestPasswordReset).toMatchObject({
      accepted: null,
      errors: [{ code: 'UNAVAILABLE', message: expect.stringContaining('smtp.server') }],
    });
    await mute.end();
  });
});

describe('changePassword', () => {
  const change = async (secret: string, current: string, next: string) =>
    (await world.graph(CHANGE, { current, new: next }, bearer(secret))).body.data.changePassword;

  it('requires the current password and ends the other sessions', async () => {
    await makeUser('careful');
    const [here, there] = [(await signIn('careful', OLD)).secret, (await signIn('careful', OLD)).secret];
    expect(await change(here, 'wrong', NEW)).toMatchObject({ user: null, errors: [{ code: 'NOT_AUTHORIZED' }] });
    expect(await change(here, OLD, 'short')).toMatchObject({ errors: [{ code: 'VALIDATION', path: ['newPassword'] }] });
    expect(await viewer(there)).not.toBeNull();
    expect(await change(here, OLD, NEW)).toEqual({ user: { name: 'careful' }, errors: [] });
    expect([await viewer(here), await viewer(there)]).toEqual([{ name: 'careful' }, null]);
    await expect(signIn('careful', NEW)).resolves.toBeDefined();
  });

  it('refuses anonymous callers', async () => {
    expect(await change('', OLD, NEW)).toMatchObject({ errors: [{ code: 'NOT_AUTHORIZED' }] });
  });

  it('limits password guesses from a stolen session', async () => {
    await makeUser('stolen');
    const { secret } = await signIn('stolen', OLD);
    const codes: string[] = [];
    for (let at = 0; at < 6; at += 1) codes.push((await change(secret, 'wrong', NEW)).errors[0].code);
    expect([codes[0], codes.at(-1)]).toEqual(['NOT_AUTHORIZED', 'LIMIT']);
  });
});
