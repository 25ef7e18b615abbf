import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createMailbox, type Mailbox } from '../helpers/mail.ts';
import type { TestUser } from '../helpers/make.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

let mailbox: Mailbox;
let world: World;
let admin: TestUser;
let ann: TestUser;
let eve: TestUser;
beforeAll(async () => {
  mailbox = await createMailbox();
  world = await createWorld({ ...mailbox.settings, 'catalog.site_title': 'City Data' });
  admin = await world.make.sysadmin();
  ann = await world.make.user({ name: 'ann' });
  eve = await world.make.user({ name: 'eve' });
  await world.make.organization({ name: 'owner', members: { [ann.id]: 'editor' } });
  await world.result(
    'package_create',
    { name: 'rivers', title: 'Rivers\r\nand lakes', owner_org: 'owner' },
    { as: ann },
  );
  await world.result('follow_dataset', { id: 'rivers' }, { as: eve });
});
afterAll(async () => {
  await world.end();
  await mailbox.end();
});

/** Digests wait for older transactions, including those of other tests' databases on the same server. */
async function settled({ database }: World): Promise<void> {
  const open = 'SELECT 1 FROM change WHERE transaction_id >= pg_snapshot_xmin(pg_current_snapshot()) LIMIT 1';
  await until(async () => (await database.pool.query(open)).rowCount === 0);
}

const send = async (as: TestUser | null = admin) => {
  await settled(world);
  return world.action('send_email_notifications', {}, { as });
};
const patch = (params: object) => world.result('package_patch', { id: 'rivers', ...params }, { as: ann });
const wants = (yes: boolean) =>
  world.result('user_patch', { id: 'eve', activity_streams_email_notifications: yes }, { as: eve });

describe('send_email_notifications', () => {
  it('is refused to callers who are not sysadmins', async () => {
    for (const as of [null, ann]) expect((await send(as)).body.error.__type).toBe('Authorization Error');
  });

  it('sends no mail to users who did not enable notifications', async () => {
    expect((await send()).body).toMatchObject({ success: true, result: null });
    expect(mailbox.received).toEqual([]);
  });

  it('sends each new activity once', async () => {
    await wants(true);
    await send();
    const mail = await mailbox.next();
    expect(mail).toMatchObject({ subject: '1 new activity on City Data', recipients: ['eve@example.com'] });
    expect(mail.text).toContain('- ann created the dataset Rivers and lakes\n  http://catalog.test/dataset/rivers');
    expect(mail.text).toContain('http://catalog.test/user/edit/eve');
    await send();
    await patch({ title: 'Two' });
    await patch({ title: 'Three' });
    await Promise.all([send(), send(), send()]);
    const second = await mailbox.next();
    expect(second.subject).toBe('2 new activities on City Data');
    expect(second.text).not.toContain('created');
    expect(mailbox.received).toEqual([]);
  });

  it('omits activities that were seen on the dashboard, are the user’s own or were not public', async () => {
    await patch({ title: 'Four' });
    await world.result('dashboard_mark_activities_old', {}, { as: eve });
    await send();
    await world.result('package_create', { name: 'mine' }, { as: eve });
    await send();
    await patch({ private: true });
    await patch({ title: 'Five' });
    await send();
    expect(mailbox.received).toEqual([]);
    await patch({ private: false });
    await send();
    expect((await mailbox.next()).text).toContain('updated the dataset');
  });

  it('includes activities that were public, even if the dataset is private now (ruling 22)', async () => {
    await patch({ title: 'Public then' });
    await patch({ private: true });
    await send();
    expect((await mailbox.next()).text).toContain('Public then');
    await patch({ private: false });
    await world.result('dashboard_mark_activities_old', {}, { as: eve });
  });

  it('omits old activities', async () => {
    await patch({ title: 'Six' });
    await world.database.pool.query("UPDATE change SET created_at = created_at - interval '3 days'");
    await send();
    expect(mailbox.received).toEqual([]);
  });

  it('lists the latest 20 activities and the number of older ones', async () => {
    for (let n = 0; n < 23; n += 1) await patch({ title: `Title ${n}` });
    await send();
    const { subject, text } = await mailbox.next();
    expect(subject).toBe('23 new activities on City Data');
    expect(text).toContain('Title 22');
    expect(text).not.toContain('Title 2\n');
    expect(text).toContain('and 3 more');
  });

  it('is a GraphQL mutation that returns counts, also for given users', async () => {
    await patch({ title: 'Seven' });
    await settled(world);
    const ask = async (users: string[] | null) =>
      (
        await world.graph(
          'mutation ($input: SendActivityDigestsInput!) { sendActivityDigests(input: $input) { digests { sent failed } errors { code } } }',
          { input: { users } },
          { as: admin },
        )
      ).body.data.sendActivityDigests;
    expect(await ask(['ann', 'nobody'])).toEqual({ digests: { sent: 0, failed: 0 }, errors: [] });
    expect(await ask(['eve'])).toEqual({ digests: { sent: 1, failed: 0 }, errors: [] });
    await mailbox.next();
    expect(await ask(null)).toEqual({ digests: { sent: 0, failed: 0 }, errors: [] });
  });
});

describe('failures', () => {
  const SEND = 'mutation { sendActivityDigests(input: {}) { digests { sent failed } errors { code message } } }';
  const follow = async (other: World) => {
    const boss = await other.make.sysadmin();
    const user = await other.make.user();
    await other.result('package_create', { name: 'one' }, { as: boss });
    await other.result('follow_dataset', { id: 'one' }, { as: user });
    await other.result('user_patch', { id: user.id, activity_streams_email_notifications: true }, { as: user });
    await settled(other);
    return boss;
  };

  it('let the next call retry the mail', async () => {
    const strict = await createMailbox({ onRcptTo: (_address, _session, done) => done(new Error('no such user')) });
    const other = await createWorld(strict.settings);
    const as = await follow(other);
    for (let n = 0; n < 2; n += 1) {
      const { body } = await other.graph(SEND, {}, { as });
      expect(body.data.sendActivityDigests).toEqual({ digests: { sent: 0, failed: 1 }, errors: [] });
    }
    await other.end();
    await strict.end();
  });

  it('name the setting if notifications are disabled', async () => {
    const other = await createWorld({ 'catalog.activity_streams_email_notifications': false });
    const as = await follow(other);
    const { body } = await other.action('send_email_notifications', {}, { as });
    expect(body.error).toMatchObject({ __type: 'Validation Error' });
    expect(body.error.message).toContain('catalog.activity_streams_email_notifications');
    await other.end();
  });
});
