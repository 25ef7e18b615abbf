/** Delivery of webhooks to real receivers: order, signatures, filters, permissions and retries. */
import { describe, expect, it } from '@jest/globals';
import { signaturesBy } from '../helpers/receiver.ts';
import { until } from '../helpers/until.ts';
import { changesOf, namesOf, type WebhookScene, withWebhooks } from '../helpers/webhooks.ts';

let { receiver, world, admin, ann, office, graph, hook, update, show, settled, dataset } = {} as WebhookScene;
withWebhooks(
  (scene) => {
    ({ receiver, world, admin, ann, office, graph, hook, update, show, settled, dataset } = scene);
  },
  {},
  { counts: true },
);

it('sends changes signed and in order, as `/changes` lists them', async () => {
  const after = JSON.parse((await world.request('/changes?limit=1000')).text.trim().split('\n').at(-1)!).next;
  const { databaseId, secret } = await hook();
  for (const name of ['first', 'second', 'third']) await dataset(name);
  const state = await settled(databaseId);
  const lines = (await world.request(`/changes?after=${after}`, { headers: { authorization: ann.key } })).text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.length).toBeGreaterThan(3);
  expect(changesOf(receiver.received)).toEqual(lines.slice(0, -1));
  for (const message of receiver.received) {
    expect(signaturesBy(secret, message)).toEqual([true]);
    expect(signaturesBy(secret, { ...message, text: `${message.text} ` })).toEqual([false]);
    expect(message.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      'user-agent': expect.stringMatching(/^catalog-gateway/),
    });
    expect(Math.abs(Number(message.headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(60);
    expect(message.body).toMatchObject({ type: 'changes', data: { webhook: databaseId } });
    expect(message.body.timestamp).toBe(message.body.data.changes.at(-1).at);
  }
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(receiver.received.length);
  expect(state).toMatchObject({ lastStatus: 204, lastError: null, failuresInARow: 0, lastFailureAt: null });
  expect(state.lastSuccessAt).not.toBeNull();
});

it('sends at most `batchSize` changes per message, and continues where it was paused', async () => {
  const { databaseId } = await hook({ types: ['DATASET'], batchSize: 2 });
  await update(databaseId, { paused: true });
  for (let n = 0; n < 5; n++) await dataset(`in-parts-${n}`);
  await hook({ types: ['DATASET'], name: 'witness' });
  await dataset('in-parts-5');
  await until(() => receiver.taken().length > 0);
  expect(namesOf(receiver.taken())).toEqual(['in-parts-5']);
  receiver.received.length = 0;
  await update(databaseId, { paused: false });
  await settled(databaseId);
  expect(receiver.received.map(({ body }) => body.data.changes.length)).toEqual([2, 2, 2]);
  expect(namesOf(receiver.received)).toEqual(Array.from({ length: 6 }, (_, n) => `in-parts-${n}`));
});

it('sends changes of the requested types and organization only', async () => {
  const elsewhere = await world.make.organization();
  const [byType, byOffice] = [await hook({ types: ['GROUP'] }), await hook({ organization: 'office' })];
  await dataset('of-office', { ownerOrganization: office.id });
  await dataset('of-elsewhere', { ownerOrganization: elsewhere.id });
  await world.result('group_create', { name: 'rivers' }, { as: admin });
  await world.result('organization_patch', { id: 'office', title: 'Office' }, { as: admin });
  await Promise.all([settled(byType.databaseId), settled(byOffice.databaseId)]);
  const of = ({ databaseId }: { databaseId: string }) =>
    namesOf(receiver.received.filter(({ body }) => body.data.webhook === databaseId));
  expect([...new Set(of(byType))]).toEqual(['rivers']);
  expect([...new Set(of(byOffice))]).toEqual(['of-office', 'office']);
});

it('takes no lease for webhooks without matching changes', async () => {
  const idle: string[] = [];
  for (let n = 0; n < 10; n++) idle.push((await hook({ types: ['VOCABULARY'], name: `idle-${n}` }, admin)).databaseId);
  const { databaseId } = await hook({ types: ['DATASET'] });
  const statements = await world.statementsOf(async () => {
    await dataset('of-one');
    for (const id of [databaseId, ...idle]) await settled(id, admin);
  });
  const held = statements.filter((text) => text.includes('SET holder = $2')).length;
  expect(held).toBeGreaterThan(0);
  expect(held).toBeLessThan(10);
  expect(namesOf(receiver.received)).toEqual(['of-one']);
});

describe('changes that the owner may not read', () => {
  const told = (id: string) =>
    changesOf(receiver.received.filter(({ body }) => body.data.webhook === id)).map(({ operation, name, isGone }) => [
      operation,
      name,
      isGone,
    ]);

  it('are omitted, and a dataset that turns private is reported as hidden', async () => {
    const stranger = await world.make.user();
    const [mine, theirs] = [await hook({ types: ['DATASET'] }), await hook({ types: ['DATASET'] }, stranger)];
    const secret = { ownerOrganization: office.id, private: true };
    const { id } = await dataset('hidden', secret);
    await dataset('shown');
    await Promise.all([settled(mine.databaseId), settled(theirs.databaseId, stranger)]);
    expect(told(mine.databaseId)).toEqual([
      ['CREATED', 'hidden', false],
      ['CREATED', 'shown', false],
    ]);
    expect(told(theirs.databaseId)).toEqual([['CREATED', 'shown', false]]);
    await world.result('package_patch', { id: 'shown', owner_org: 'office', private: true }, { as: admin });
    await Promise.all([settled(mine.databaseId), settled(theirs.databaseId, stranger)]);
    expect(told(theirs.databaseId).slice(1)).toEqual([['HIDDEN', null, true]]);
    expect(
      JSON.stringify(receiver.received.filter(({ body }) => body.data.webhook === theirs.databaseId)),
    ).not.toContain(id);
  });

  it('are omitted after the owner loses access, even from a message in progress', async () => {
    const leaver = await world.make.user();
    await world.result(
      'organization_member_create',
      { id: 'office', username: leaver.name, role: 'member' },
      { as: admin },
    );
    const { databaseId } = await hook({ types: ['DATASET'] }, leaver);
    receiver.answer = async () => {
      await update(databaseId, { paused: true }, leaver); // no attempt follows this one
      return { status: 500 };
    };
    await dataset('of-members', { ownerOrganization: office.id, private: true });
    await until(async () => (await show(databaseId, leaver)).lastStatus === 500);
    expect(namesOf(receiver.received)).toEqual(['of-members']);
    await world.result('organization_member_delete', { id: 'office', username: leaver.name }, { as: admin });
    receiver.received.length = 0;
    receiver.answer = () => ({ status: 204 });
    await update(databaseId, { paused: false }, leaver);
    await settled(databaseId, leaver);
    expect(receiver.received).toEqual([]);
  });

  it('are never sent after the owner is deleted, and the webhook is disabled', async () => {
    const leaver = await world.make.user();
    const { databaseId } = await hook({}, leaver);
    await world.result('user_delete', { id: leaver.name }, { as: admin });
    await dataset('after-the-end');
    const state = await until(async () => {
      const now = await show(databaseId, admin);
      return now.state === 'DISABLED' && now;
    });
    expect(state.stateReason).toMatch(/owner's account is not active/);
    expect(receiver.received).toEqual([]);
  });
});

describe('a receiver that fails', () => {
  it('gets the same message again under the same id, while later ones wait', async () => {
    const { databaseId, secret } = await hook({ types: ['DATASET'], batchSize: 1 });
    let tries = 0;
    receiver.answer = () => ({ status: ++tries < 3 ? 503 : 200 });
    for (const name of ['one', 'two']) await dataset(name);
    const state = await settled(databaseId);
    expect(namesOf(receiver.received)).toEqual(['one', 'one', 'one', 'two']);
    expect(new Set(receiver.received.slice(0, 3).map(({ id, text }) => `${id} ${text}`)).size).toBe(1);
    for (const message of receiver.received) expect(signaturesBy(secret, message)).toEqual([true]);
    expect(state).toMatchObject({ lastStatus: 200, failuresInARow: 0, deadLetters: { totalCount: 0 } });
    expect(state.lastFailureAt).not.toBeNull();
  });

  it('is retried at once when its owner resumes the webhook or changes its URL', async () => {
    const { databaseId } = await hook({ types: ['DATASET'] });
    const later = { status: 503, headers: { 'retry-after': '3600' } };
    receiver.answer = () => later;
    await dataset('for-later');
    await until(async () => (await show(databaseId)).nextTryAt);
    receiver.answer = async () => {
      receiver.answer = () => ({ status: 204 });
      await update(databaseId, { url: `${receiver.url}&moved` }); // the response of the old URL does not count for this one
      return later;
    };
    await update(databaseId, { paused: false });
    const state = await settled(databaseId);
    expect(state).toMatchObject({ lastStatus: 204, nextTryAt: null, deadLetters: { totalCount: 0 } });
    expect(receiver.received.map(({ status }) => status)).toEqual([503, 503, 204]);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
  });

  it('that returns 410 gets nothing more until the webhook is resumed', async () => {
    const { databaseId } = await hook({ types: ['DATASET'] });
    receiver.answer = () => ({ status: 410 });
    await dataset('gone');
    await until(async () => (await show(databaseId)).state === 'DISABLED');
    await dataset('gone-too');
    await hook({ types: ['DATASET'], name: 'witness' });
    await dataset('gone-three');
    await until(() => receiver.received.length > 1);
    expect(receiver.received.filter(({ body }) => body.data.webhook === databaseId)).toHaveLength(1);
    receiver.answer = () => ({ status: 200 });
    receiver.received.length = 0;
    await update(databaseId, { paused: false });
    await settled(databaseId);
    expect(namesOf(receiver.received.filter(({ body }) => body.data.webhook === databaseId))).toEqual([
      'gone',
      'gone-too',
      'gone-three',
    ]);
  });

  it('that redirects is not followed', async () => {
    const { databaseId } = await hook({ types: ['DATASET'] });
    receiver.answer = ({ headers }) => ({ status: 307, headers: { location: `http://${headers.host}/elsewhere` } });
    await dataset('redirected');
    const { deadLetters } = await settled(databaseId);
    expect(deadLetters.nodes).toMatchObject([{ attempts: 3, status: 307, error: 'Response status 307' }]);
  });

  it('has messages dead-lettered after the last attempt, and gets later ones', async () => {
    const { databaseId } = await hook({ types: ['DATASET'], batchSize: 1 });
    receiver.answer = ({ body }) => ({ status: /^bad/.test(body.data.changes[0].name) ? 500 : 200 });
    for (const name of ['bad-0', 'good-0', 'bad-1', 'bad-2', 'bad-3', 'good-1']) await dataset(name);
    const { deadLetters, failuresInARow } = await settled(databaseId);
    expect(namesOf(receiver.taken())).toEqual(['good-0', 'good-1']);
    expect(failuresInARow).toBe(0);
    expect(receiver.received).toHaveLength(4 * 3 + 2);
    const letters = receiver.received.filter(({ body }) => /^bad-[123]/.test(body.data.changes[0].name));
    expect(deadLetters.totalCount).toBe(3); // older ones are dropped
    expect(deadLetters.nodes.map(({ messageId }: any) => messageId)).toEqual([...new Set(letters.map(({ id }) => id))]);
    for (const letter of deadLetters.nodes) {
      expect(letter).toMatchObject({
        attempts: 3,
        status: 500,
        error: 'Response status 500',
        changeCount: 1,
        isQueued: false,
      });
      const page = `{ changes(after: "${letter.after}", first: 1, types: [DATASET]) { nodes { name cursor } } }`;
      expect((await graph(page)).changes.nodes).toEqual([
        { name: expect.stringMatching(/^bad-[123]$/), cursor: letter.until },
      ]);
    }
  });
});

describe('a message', () => {
  const sizes = () => receiver.received.map(({ body }) => body.data.changes.length);
  /** Number of distinct pairs of id and text. */
  const ofEachId = () => new Set(receiver.received.map(({ id, text }) => `${id} ${text}`)).size;
  const ids = () => new Set(receiver.received.map(({ id }) => id)).size;

  it('is replaced by messages with new ids when the filters change between attempts', async () => {
    const { databaseId } = await hook({ types: ['DATASET'], batchSize: 2 });
    await update(databaseId, { paused: true });
    await world.result('group_create', { name: 'lakes' }, { as: admin });
    for (const name of ['wide-0', 'wide-1']) await dataset(name);
    receiver.answer = async () => {
      receiver.answer = () => ({ status: 204 });
      await update(databaseId, { types: ['DATASET', 'GROUP'], batchSize: 1 });
      return { status: 500 };
    };
    await update(databaseId, { paused: false });
    await settled(databaseId);
    const [first, ...rest] = receiver.received;
    expect(namesOf([first!])).toEqual(['wide-0', 'wide-1']);
    expect([...new Set(namesOf(rest))]).toEqual(['lakes', 'wide-0', 'wide-1']);
    expect(sizes()).toEqual([2, ...rest.map(() => 1)]);
    expect(ofEachId()).toBe(ids());
    expect(ids()).toBe(1 + rest.length);
  });

  it('is sent again under a new id when the filters change during its delivery', async () => {
    const { databaseId } = await hook({ types: ['DATASET'] });
    receiver.answer = async () => {
      receiver.answer = () => ({ status: 204 });
      await update(databaseId, { types: null });
      return { status: 204 };
    };
    await dataset('taken-before');
    await settled(databaseId);
    expect(namesOf(receiver.received).filter((name) => name === 'taken-before')).toHaveLength(2);
    expect(ids()).toBe(receiver.received.length);
  });

  it('never exceeds the batch size, even if its owner may read more changes by then', async () => {
    const joiner = await world.make.user();
    const { databaseId } = await hook({ types: ['DATASET'], batchSize: 1 }, joiner);
    await update(databaseId, { paused: true }, joiner);
    await dataset('for-members', { ownerOrganization: office.id, private: true });
    await dataset('for-all');
    receiver.answer = async () => {
      receiver.answer = () => ({ status: 204 });
      const member = { id: 'office', username: joiner.name, role: 'member' };
      await world.result('organization_member_create', member, { as: admin });
      return { status: 500 };
    };
    await update(databaseId, { paused: false }, joiner);
    await settled(databaseId, joiner);
    expect(namesOf(receiver.received)).toEqual(['for-all', 'for-members', 'for-all']);
    expect(sizes()).toEqual([1, 1, 1]);
    expect(ids()).toBe(3);
  });
});

describe('addresses', () => {
  it('of private networks are refused, also as a host name', async () => {
    const { databaseId } = await hook({ types: ['DATASET'] });
    const { port } = new URL(receiver.url);
    await world.database.db.webhook.update({
      where: { id: databaseId },
      data: { url: `https://localhost:${port}/` },
    });
    await dataset('inside');
    const { lastError } = await settled(databaseId);
    expect(lastError).toMatch(/[Pp]rivate addresses.*catalog\.webhooks\.allowed_hosts/);
    expect(receiver.received).toEqual([]);
  });
});
