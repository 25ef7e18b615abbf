import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transact } from '../../src/infra/postgres/db.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { TestUser } from '../helpers/make.ts';
import { packetsOf } from '../helpers/packets.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

/** Finds statements that wait for a lock. */
const WAITS = {
  text: "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
};

let world: World;
let admin: TestUser;
let editor: TestUser;
beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
  editor = await world.make.user();
});
afterAll(() => world.end());

describe('package_create', () => {
  it('sends its checks in one packet and its rows, document, revision and search entry in another', async () => {
    const { name: owner_org } = await world.make.organization();
    const create = (name: string) =>
      world.result(
        'package_create',
        {
          name,
          owner_org,
          tags: [{ name: 'water' }],
          resources: [{ url: 'http://example.com/data.csv', format: 'CSV' }],
        },
        { as: admin },
      );
    await create('packets-one');
    const packets = await packetsOf(() => create('packets-two'));
    const CHECKS = ['dataset_collisions', 'tags_wanted_free'];
    const ROWS = [
      'dataset_insert',
      'resources_write',
      'dataset_tags_write',
      'insert_revision',
      'dataset_document_write',
    ];
    const found = packets.map((packet) =>
      [...CHECKS, ...ROWS, 'search_entries_write'].filter((name) => packet.includes(name)),
    );
    expect(found.filter((names) => names.length > 0)).toEqual([CHECKS, [...ROWS, 'search_entries_write']]);
    expect(packets.filter((packet) => !packet.includes('pg_notify'))).toHaveLength(6);
  });

  it('indexes 200,000 characters without a space', async () => {
    const { name: owner_org } = await world.make.organization();
    const notes = '語'.repeat(200_000);
    const author = 'Zebrafish'; // a field after the notes, which must leave text positions for it
    await world.result('package_create', { name: 'one-run', owner_org, private: true, notes, author }, { as: admin });
    await world.result('package_patch', { id: 'one-run', private: false, notes: `${notes}語` }, { as: admin });
    for (const q of ['語語', author]) expect((await world.result('package_search', { q })).count).toBe(1);
  });

  it('stores every given field and returns it in package_show', async () => {
    const organization = await world.make.organization({ title: 'Waterworks', members: { [editor.id]: 'editor' } });
    const group = await world.make.group({ name: 'rivers-group', members: { [editor.id]: 'admin' } });
    const created = await world.result(
      'package_create',
      {
        name: 'rivers',
        title: 'Rivers',
        notes: 'Some **notes**',
        license_id: 'cc-by',
        version: '1.0',
        owner_org: organization.name,
        extras: [
          { key: 'theme', value: 'water' },
          { key: 'area', value: 'Wales' },
        ],
        groups: [{ name: group.name }],
        tags: [{ name: 'water' }, { name: 'economy stats' }],
        resources: [
          { url: 'http://example.com/data.csv', format: 'csv', size: 12, extra1: 'kept' },
          { url: 'example.com/b' },
        ],
      },
      { as: editor },
    );
    expect(created).toMatchObject({
      name: 'rivers',
      title: 'Rivers',
      notes: 'Some **notes**',
      version: '1.0',
      isopen: true,
      license_title: 'Creative Commons Attribution',
      owner_org: organization.id,
      organization: { name: organization.name, title: 'Waterworks', is_organization: true },
      extras: [
        { key: 'area', value: 'Wales' },
        { key: 'theme', value: 'water' },
      ],
      tags: [{ name: 'economy stats', vocabulary_id: null }, { name: 'water' }],
      groups: [{ name: 'rivers-group' }],
      num_resources: 2,
      num_tags: 2,
      creator_user_id: editor.id,
      state: 'active',
      private: false,
      type: 'dataset',
      resources: [
        { url: 'http://example.com/data.csv', format: 'CSV', size: 12, extra1: 'kept', position: 0 },
        { url: 'http://example.com/b', position: 1 },
      ],
    });
    const shown = await world.result('package_show', { id: 'rivers' }, { get: true });
    expect(shown).toEqual(created);
  });

  it('refuses unknown groups, but ignores them for system administrators', async () => {
    const wanted = { name: 'filed', groups: [{ name: 'rivers-group' }, { name: 'nowhere' }] };
    expect((await world.action('package_create', wanted, { as: editor })).body.error).toMatchObject({
      __type: 'Not Found Error',
      message: 'Not found: Group was not found.',
    });
    expect((await world.result('package_create', wanted, { as: admin })).groups).toMatchObject([
      { name: 'rivers-group' },
    ]);
  });

  it('lets the creator restore a deleted dataset without an owner, which only sysadmins can read until then', async () => {
    await world.result('package_create', { name: 'unowned' }, { as: editor });
    await world.result('package_delete', { id: 'unowned' }, { as: editor });
    const show = async (as: TestUser) => (await world.action('package_show', { id: 'unowned' }, { as })).body.success;
    expect([await show(editor), await show(admin)]).toEqual([false, true]);
    expect(await world.result('package_patch', { id: 'unowned', state: 'active' }, { as: editor })).toMatchObject({
      state: 'active',
    });
    expect(await show(editor)).toBe(true);
  });

  it('reports every error at once', async () => {
    const { body } = await world.action(
      'package_create',
      {
        name: 'Bad Name!',
        version: 'v'.repeat(101),
        tags: [{ name: 'ok1' }, { name: 'bad,comma' }, { name: 'z' }],
        extras: [
          { key: 'k', value: 'v' },
          { key: 'k', value: 'w' },
          { key: 'title', value: 'x' },
        ],
        owner_org: 'nope',
        resources: [{}],
      },
      { as: admin },
    );
    expect(body.error).toMatchObject({
      __type: 'Validation Error',
      name: ['Must be purely lowercase alphanumeric (ascii) characters and these symbols: -_'],
      version: ['Version must be a maximum of 100 characters long'],
      tags: [
        {},
        'Tag "bad,comma" must be alphanumeric characters or symbols: -_.',
        'Tag "z" length is less than minimum 2',
      ],
      extras_validation: ['Duplicate key "k"'],
      extras: [{}, {}, { key: ['There is a schema field with the same name'] }],
      owner_org: ['Organization does not exist'],
      resources: [{ url: ['Missing value'] }],
    });
  });

  it('refuses anonymous callers, and organizations that the caller may not add to', async () => {
    const organization = await world.make.organization();
    expect((await world.action('package_create', { name: 'anon' })).body.error.__type).toBe('Authorization Error');
    expect(
      (await world.action('package_create', { name: 'theirs', owner_org: organization.name }, { as: editor })).body
        .error.__type,
    ).toBe('Authorization Error');
    expect((await world.action('package_show', { id: 'theirs' })).body.error.__type).toBe('Not Found Error');
  });

  it('keeps all resources of ten parallel resource_create calls', async () => {
    await world.result('package_create', { name: 'parallel' }, { as: admin });
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        world.result('resource_create', { package_id: 'parallel', url: `http://example.com/${index}` }, { as: admin }),
      ),
    );
    const { resources } = await world.result('package_show', { id: 'parallel' });
    expect(new Set(resources.map((resource: { url: string }) => resource.url)).size).toBe(10);
    expect(resources.map((resource: { position: number }) => resource.position)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ]);
  });

  it('accepts only one of two concurrent updates with the same If-Match', async () => {
    await world.result('package_create', { name: 'raced' }, { as: admin });
    const { headers } = await world.action('package_show', { id: 'raced' });
    const both = await Promise.all(
      ['one', 'two'].map((title) =>
        world.action(
          'package_update',
          { id: 'raced', title },
          { as: admin, headers: { 'if-match': headers.get('etag')! } },
        ),
      ),
    );
    expect(both.map(({ body }) => body.success).sort()).toEqual([false, true]);
    expect(both.find(({ body }) => !body.success)!.body.error.message).toMatch(/version/);
  });

  it.each([
    [
      'takes the id of its resource',
      `INSERT INTO resource SELECT (jsonb_populate_record(r, '{"id": "raced-id"}')).* FROM resource r WHERE dataset_id = $1`,
      () => ({ resources: [{ id: 'raced-id', url: 'http://example.com/a.png', format: 'PNG' }] }),
    ],
    [
      'deletes the vocabulary of its tag',
      "DELETE FROM vocabulary WHERE name = 'raced-' || $1",
      (id: string) => ({ tags: [{ name: 'raced tag', vocabulary_id: `vocabulary-${id}` }] }),
    ],
  ])('is refused as a whole if a concurrent transaction %s', async (_what, text, paramsOf) => {
    const { id } = await world.result('package_create', { name: newId(), resources: [{ url: 'x' }] }, { as: admin });
    await world.database.db.vocabulary.create({ data: { id: `vocabulary-${id}`, name: `raced-${id}` } });
    const name = newId();
    const [creating] = await transact(world.database.db, async (_db, sql) => {
      await sql.rows({ text }, [id]);
      const creating = world.action('package_create', { name, ...paramsOf(id) }, { as: admin });
      await until(async () => (await world.database.sql.rows(WAITS)).length > 0);
      return [creating];
    });
    expect((await creating).body.error.message).toContain('concurrent write');
    expect((await world.action('package_show', { id: name })).body).toMatchObject({ success: false });
  });
});
