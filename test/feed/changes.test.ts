import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toGlobalId } from '../../src/kernel/ids.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let editor: TestUser;
let member: TestUser;
beforeAll(async () => {
  world = await createWorld({}, { counts: true });
  [admin, editor, member] = await Promise.all([world.make.sysadmin(), world.make.user(), world.make.user()]);
  await world.make.organization({ name: 'office', members: { [editor.id]: 'editor', [member.id]: 'member' } });
});
afterAll(() => world.end());

const QUERY = `query ($after: String, $first: Int, $types: [ChangeObjectType!], $wait: Int) {
  changes(after: $after, first: $first, types: $types, wait: $wait) {
    nodes { cursor sequence at operation objectType objectId nodeId isGone name datasetId actorId revisionId
      actor { name } revision { message } node { __typename id } dataset { name } }
    pageInfo { endCursor hasNextPage } } }`;
const changes = async (variables: object = {}, as: TestUser | null = null) => {
  const { body } = await world.graph(QUERY, { first: 100, ...variables }, { as });
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data.changes;
};
/** Reads the log as a visitor, and returns the cursor at its end. */
const now = async (): Promise<string> =>
  JSON.parse((await world.request('/changes?limit=1000')).text.trim().split('\n').at(-1)!).next;
const told = ({ nodes }: any) =>
  nodes.map(({ operation, objectId, isGone, name }: any) => [operation, objectId, isGone, name]);
const make = (fields: object, as = editor) =>
  world.result('package_create', { owner_org: 'office', ...fields }, { as });
const patch = (id: string, fields: object) => world.result('package_patch', { id, ...fields }, { as: editor });

describe('changes', () => {
  it('lists operations in order, with object and actor', async () => {
    const after = await now();
    const { id } = await make({ name: 'first' });
    await patch(id, { title: 'First' });
    await changes();
    await world.result('package_delete', { id }, { as: editor });
    await changes();
    await world.result('dataset_purge', { id }, { as: admin });
    const { nodes } = await changes({ after }, admin);
    expect(nodes.map(({ operation }: any) => operation)).toEqual(['CREATED', 'UPDATED', 'DELETED', 'PURGED']);
    expect(nodes[0]).toMatchObject({
      objectType: 'DATASET',
      objectId: id,
      actorId: editor.id,
      node: null,
      dataset: null,
    });
    const sequences = nodes.map(({ sequence }: any) => sequence);
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    // Readers of the dataset get its deletion with the id only, as it cannot be read any more.
    expect(told(await changes({ after }))).toEqual([['DELETED', id, true, null]]);
    expect(told(await changes({ after }, member))).toEqual([['PURGED', id, true, null]]);
  });

  it('loads current objects, revisions and users, with as many statements for many changes as for one', async () => {
    const after = await now();
    const { id } = await make({ name: 'loaded' });
    const [change] = (await changes({ after })).nodes;
    expect(change).toMatchObject({
      operation: 'CREATED',
      name: 'loaded',
      actor: { name: editor.name },
      node: { __typename: 'Dataset', id: change.nodeId },
      dataset: { name: 'loaded' },
    });
    expect(change.revision.message).toContain('object loaded');
    for (const name of ['loaded-1', 'loaded-2', 'loaded-3']) await make({ name });
    await changes();
    const one = await world.statementsOf(() => changes({ after, first: 1 }));
    const many = await world.statementsOf(() => changes({ after, first: 4 }));
    expect(many).toHaveLength(one.length);
    await patch(id, { name: 'loaded-anew' });
    expect((await changes({ after })).nodes[0].name).toBe('loaded-anew');
  });

  it('reports a dataset that turned private to its former readers, and hides its other changes', async () => {
    const after = await now();
    const open = await make({ name: 'was-open', title: 'Was open' });
    const secret = await make({ name: 'always-secret', title: 'Always secret', private: true });
    const between = (await changes({ after })).pageInfo.endCursor;
    await patch(open.id, { private: true, name: 'now-secret' });
    await patch(secret.id, { notes: 'still secret' });
    await patch(open.id, { notes: 'unseen' });
    const { nodes: seen } = await changes({ after: between });
    expect(seen).toEqual([
      expect.objectContaining({
        operation: 'HIDDEN',
        objectId: open.id,
        nodeId: toGlobalId('Dataset', open.id),
        isGone: true,
        name: null,
        datasetId: null,
        actorId: null,
        actor: null,
        revisionId: null,
        revision: null,
        node: null,
        dataset: null,
      }),
    ]);
    // Reading from the beginning shows nothing of the time when the dataset was public.
    const all = JSON.stringify(await changes({ after }));
    for (const word of ['was-open', 'now-secret', 'always-secret', secret.id, 'Was open', 'unseen'])
      expect(all).not.toContain(word);
    expect(told(await changes({ after: between }, member))).toEqual([
      ['UPDATED', open.id, false, 'now-secret'],
      ['UPDATED', secret.id, false, 'always-secret'],
      ['UPDATED', open.id, false, 'now-secret'],
    ]);
    // A dataset that turns public is reported as created. Its earlier changes stay hidden.
    const later = await now();
    await patch(secret.id, { private: false });
    expect(told(await changes({ after: later }))).toEqual([['CREATED', secret.id, false, 'always-secret']]);
    expect(told(await changes({ after })).filter(([, id]: any) => id === secret.id)).toHaveLength(1);
  });

  it('reports the purge of a private dataset to members only', async () => {
    const after = await now();
    const { id } = await make({ name: 'never-seen', private: true });
    await changes({ after });
    await world.result('package_delete', { id }, { as: editor });
    await changes({ after });
    await world.result('dataset_purge', { id }, { as: admin });
    expect((await changes({ after })).nodes).toEqual([]);
    expect((await changes({ after }, member)).nodes.map(({ operation }: any) => operation)).toEqual(['PURGED']);
  });

  it('never skips a change that is committed late', async () => {
    const after = await now();
    const late = await world.database.pool.connect();
    try {
      await late.query('BEGIN');
      await late.query(`INSERT INTO revision (id, author, message) VALUES ('late', 'test', 'late')`);
      await late.query(
        `INSERT INTO change (revision_id, object_type, object_id, action, detail) VALUES ('late', 'tag', 'late-tag', 'created', '{"name":"late"}')`,
      );
      const { id } = await make({ name: 'early' });
      const page = await changes({ after });
      expect(told(page)).toEqual([['CREATED', id, false, 'early']]);
      await late.query('COMMIT');
      expect(told(await changes({ after: page.pageInfo.endCursor }))).toEqual([['CREATED', 'late-tag', false, 'late']]);
    } finally {
      late.release();
    }
  });

  it('pages, filters, and moves the end cursor past hidden changes', async () => {
    const after = await now();
    await make({ name: 'paged-1' });
    await world.result('group_create', { name: 'paged-group' }, { as: admin });
    await make({ name: 'paged-2', private: true });
    await make({ name: 'paged-3' });
    const names: string[] = [];
    for (let cursor = after, more = true; more; ) {
      const page = await changes({ after: cursor, first: 1, types: ['DATASET'] });
      names.push(...page.nodes.map(({ name }: any) => name));
      ({ endCursor: cursor, hasNextPage: more } = page.pageInfo);
    }
    expect(names).toEqual(['paged-1', 'paged-3']);
    const end = await now();
    await make({ name: 'paged-4', private: true });
    const unseen = await changes({ after: end });
    expect(unseen.nodes).toEqual([]);
    expect(unseen.pageInfo.endCursor).not.toBe(end);
    const counted = await world.graph('{ changes(first: 1) { totalCount } }');
    const all = (await world.request('/changes?limit=1000')).text.trim().split('\n');
    expect(counted.body.data.changes.totalCount).toBe(all.length - 1);
  });

  it('returns the cursor at the end of the log', async () => {
    await make({ name: 'before-now', private: true });
    const { body } = await world.graph('{ changesEnd }');
    expect((await changes({ after: body.data.changesEnd }, admin)).nodes).toEqual([]);
    await make({ name: 'after-now' });
    expect(told(await changes({ after: body.data.changesEnd }))).toEqual([
      ['CREATED', expect.any(String), false, 'after-now'],
    ]);
  });

  it('waits for a change', async () => {
    const after = await now();
    const waiting = changes({ after, wait: 30 });
    await make({ name: 'unseen-while-waiting', private: true });
    await make({ name: 'waited-for' });
    expect(told(await waiting)).toEqual([['CREATED', expect.any(String), false, 'waited-for']]);
    expect((await changes({ after: await now(), wait: 1 })).nodes).toEqual([]);
  });

  it('refuses invalid cursors, cursors ahead of the log, and other invalid arguments', async () => {
    const code = async (variables: object) =>
      (await world.graph(QUERY, { ...variables })).body.errors[0].extensions.code;
    const ahead = Buffer.from('[999999999]').toString('base64url');
    expect(await code({ after: 'x' })).toBe('VALIDATION');
    expect(await code({ after: ahead })).toBe('VALIDATION');
    expect(await code({ wait: 61 })).toBe('VALIDATION');
    expect(await code({ wait: -1 })).toBe('VALIDATION');
    expect(await code({ first: 101 })).toBe('LIMIT');
  });

  it('gives each change one position under concurrent reads', async () => {
    await Promise.all(Array.from({ length: 8 }, (_, n) => make({ name: `many-${n}` })));
    await Promise.all(Array.from({ length: 10 }, () => changes()));
    const { rows } = await world.database.pool.query(
      'SELECT count(*)::int AS all, count(DISTINCT position)::int AS places, max(position)::int AS last FROM change',
    );
    expect(rows[0].places).toBe(rows[0].all);
    expect(rows[0].last).toBe(rows[0].all);
  });
});
