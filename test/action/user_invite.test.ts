/** Invitations: a pending user with a role, and a mail with a link to activate the account. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createMailbox, type Mailbox } from '../helpers/mail.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let mailbox: Mailbox;
let admin: TestUser;
let chief: TestUser;
let editor: TestUser;

beforeAll(async () => {
  mailbox = await createMailbox();
  world = await createWorld({
    ...mailbox.settings,
    'catalog.action_api.status': 'http',
    'catalog.site_title': 'City data',
  });
  [admin, chief, editor] = [await world.make.sysadmin(), await world.make.user(), await world.make.user()];
  await world.make.organization({
    name: 'office',
    title: 'The Office',
    members: { [chief.id]: 'admin', [editor.id]: 'editor' },
  });
  await world.make.group({ name: 'rivers', title: 'Rivers' });
});
afterAll(async () => {
  await world.end();
  await mailbox.end();
});

const invite = (params: object, as: TestUser | null = admin) => world.action('user_invite', params as never, { as });
const members = (id: string) => world.result('member_list', { id, object_type: 'user' });
const users = async () => (await world.result('user_list', {}, { as: admin })).length;

it('creates a pending user with a role, and mails a link to activate the account', async () => {
  const email = 'New.Colleague+x@example.org';
  const { body } = await invite({ email, group_id: 'office', role: 'editor' });
  expect(body.result).toMatchObject({
    name: expect.stringMatching(/^new-colleague-x-\d{1,4}$/),
    state: 'pending',
    email,
    fullname: null,
    sysadmin: false,
    apikey: expect.any(String),
  });
  const { id, name, apikey } = body.result;
  const hash = async (as: TestUser | null) => (await world.result('user_show', { id }, { as })).email_hash;
  expect(await hash(admin)).toBe(body.result.email_hash);
  expect(await hash(null)).toBe('d41d8cd98f00b204e9800998ecf8427e');
  expect(name).not.toContain('example');
  expect(await members('office')).toContainEqual([id, 'user', 'editor']);

  const mail = await mailbox.next();
  expect(mail).toMatchObject({ subject: 'Invitation to City data', recipients: [email] });
  expect(mail.text).toContain(
    `${admin.name} has invited you to The Office at City data. Your account is called ${name}.`,
  );
  const key = /\?key=(\S+)/.exec(mail.text!)![1]!;
  expect(mail.text).toContain(`http://catalog.test/user/reset/${id}?key=${key}`);

  const viewer = async (secret: string) =>
    (await world.graph('{ viewer { name } }', {}, { headers: { authorization: secret } })).body.data.viewer;
  expect(await viewer(apikey)).toBeNull();
  const RESET =
    'mutation ($key: String!) { resetPassword(input: { key: $key, password: "my own one" }) { user { state } } }';
  expect((await world.graph(RESET, { key })).body.data.resetPassword.user).toEqual({ state: 'ACTIVE' });
  expect(await viewer(apikey)).toBeNull(); // the inviter has seen this key, so it stays invalid
  const LOGIN =
    'mutation ($login: String!) { login(input: { login: $login, password: "my own one" }) { session { secret } } }';
  const { secret } = (await world.graph(LOGIN, { login: email })).body.data.login.session;
  expect(await viewer(secret)).toEqual({ name });
});

it('invites into groups, and accepts the same address again', async () => {
  const names = [];
  for (let at = 0; at < 2; at += 1) {
    const { body } = await invite({ email: 'twice@example.org', group_id: 'rivers', role: 'member' });
    names.push(body.result.name);
    expect((await mailbox.next()).text).toContain('Rivers');
  }
  expect(new Set(names).size).toBe(2);
});

it('refuses unauthorized callers, unknown groups and unknown roles, and stores nothing', async () => {
  const before = await users();
  const params = { email: 'x@example.org', group_id: 'office', role: 'member' };
  for (const as of [null, editor, chief]) expect(await invite(params, as)).toMatchObject({ status: 403 });
  expect(await invite({ ...params, group_id: 'nowhere' })).toMatchObject({
    status: 409,
    body: { error: { id: ['That group name or ID does not exist.'] } },
  });
  expect(await invite({ ...params, role: 'king' })).toMatchObject({
    status: 409,
    body: { error: { role: ['role does not exist.'] } },
  });
  expect(await users()).toBe(before);
  const pending = await world.database.sql.rows({
    text: `SELECT name FROM user_account WHERE email = 'x@example.org'`,
  });
  expect(pending).toEqual([]);
  expect(mailbox.received).toEqual([]);
});

it('reports missing parameters', async () => {
  expect((await invite({})).body.error).toMatchObject({
    __type: 'Validation Error',
    email: ['Missing value'],
    group_id: ['Missing value'],
    role: ['Missing value'],
  });
  expect((await invite({ email: '', group_id: 'office', role: 'member' })).body.error).toMatchObject({
    email: ['Missing value'],
  });
});

it('reports in GraphQL whether the mail was sent', async () => {
  const INVITE = `mutation ($email: String!) { inviteUser(input: { email: $email, group: "office", capacity: MEMBER }) {
    invitation { mailed user { name state } } errors { code path } } }`;
  const ask = async (email: string) => (await world.graph(INVITE, { email }, { as: admin })).body.data.inviteUser;
  expect(await ask('one@example.org')).toMatchObject({ invitation: { mailed: true }, errors: [] });
  await mailbox.next();
  expect(await ask('no address')).toMatchObject({ invitation: { mailed: false, user: { state: 'PENDING' } } });
  expect(await ask('@')).toMatchObject({ invitation: { user: { name: expect.stringMatching(/^user-\d+$/) } } });
  expect(await ask(' ')).toMatchObject({ invitation: null, errors: [{ code: 'VALIDATION', path: ['email'] }] });
});

it('is allowed for organization admins with catalog.auth.create_user_via_api', async () => {
  const open = await createWorld({ 'catalog.auth.create_user_via_api': true });
  const [boss, clerk] = [await open.make.user(), await open.make.user()];
  await open.make.organization({ name: 'office', members: { [boss.id]: 'admin', [clerk.id]: 'editor' } });
  const params = { email: 'x@example.org', group_id: 'office', role: 'member' };
  expect(await open.result('user_invite', params, { as: boss })).toMatchObject({ state: 'pending' });
  expect((await open.action('user_invite', params, { as: clerk })).body.error.__type).toBe('Authorization Error');
  await open.end();
});
