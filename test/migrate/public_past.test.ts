/** Back-fills the past visibility of changes that are older than its columns, from the copies in revisions. */
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../src/migrate/migrate.ts';
import { createEmptyDatabase, type TestDatabase } from '../helpers/database.ts';

const OWN = '0040_public_past';
const FOLDER = 'prisma/migrations';

let database: TestDatabase;
let client: pg.Client;
let old: string;
beforeAll(async () => {
  database = await createEmptyDatabase();
  old = mkdtempSync(join(tmpdir(), 'migrations-'));
  for (const name of readdirSync(FOLDER))
    if (name < OWN) cpSync(join(FOLDER, name), join(old, name), { recursive: true });
  await migrate(database.url, old);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(`INSERT INTO group_account (id, name, title, description, image_url, type, is_organization, revision_id, state)
    VALUES ('office', 'office', '', '', '', 'organization', true, 'r', 'active'), ('topic', 'topic', '', '', '', 'group', false, 'r', 'deleted')`);
  await client.query(
    `INSERT INTO user_account (id, name, state) VALUES ('ann', 'ann', 'active'), ('guest', 'guest', 'pending')`,
  );
  for (const [id, state] of Object.entries({
    open: 'deleted',
    shut: 'deleted',
    draft: 'deleted',
    gone: 'active',
    moved: 'active',
  }))
    await client.query(
      `INSERT INTO dataset (id, name, title, created_at, modified_at, revision_id, state) VALUES ($1, $1, '', now(), now(), 'r', $2)`,
      [id, state],
    );
  const versions = new Map<string, number>();
  const log = async (
    revision: string,
    [type, id, action]: [string, string, string],
    copy: { state: string; private: boolean } | null,
    { activity = true, detail = {} }: { activity?: boolean; detail?: object } = {},
  ) => {
    await client.query(
      `INSERT INTO revision (id, created_at, author, message) VALUES ($1, clock_timestamp(), 'x', 'x') ON CONFLICT DO NOTHING`,
      [revision],
    );
    await client.query(
      `INSERT INTO change (revision_id, created_at, object_type, object_id, action, activity_id, detail) VALUES ($1, clock_timestamp(), $2, $3, $4, $5, $6)`,
      [revision, type, id, action, activity ? `${revision}-${id}` : null, detail],
    );
    if (!copy) return;
    const version = (versions.get(id) ?? 0) + 1;
    versions.set(id, version);
    await client.query(
      `INSERT INTO dataset_history (dataset_id, revision_id, created_at, version, document, name, state, private, owner_organization_id)
        VALUES ($1, $2, clock_timestamp(), $3, $4, $1, $5, $6, 'office')`,
      [
        id,
        revision,
        version,
        JSON.stringify({ groups: [{ id: 'topic' }, { id: 'purged-group' }] }),
        copy.state,
        copy.private,
      ],
    );
  };
  const open = { state: 'active', private: false };
  const shut = { state: 'active', private: true };
  const dead = { state: 'deleted', private: false };
  await log('open-made', ['dataset', 'open', 'created'], open);
  await log('open-filed', ['dataset', 'open', 'updated'], null, { activity: false });
  await log('open-deleted', ['dataset', 'open', 'deleted'], dead);
  await log('open-changed', ['dataset', 'open', 'updated'], dead, { activity: false });
  await log('open-filed-late', ['dataset', 'open', 'updated'], null, { activity: false });
  // Public to this day, and no longer in a group.
  await log('moved-made', ['dataset', 'moved', 'created'], open);
  await log('shut-made', ['dataset', 'shut', 'created'], shut, { activity: false });
  await log('shut-noted', ['dataset', 'shut', 'noted'], null);
  await log('shut-deleted', ['dataset', 'shut', 'deleted'], { state: 'deleted', private: true }, { activity: false });
  await log('draft-made', ['dataset', 'draft', 'created'], { state: 'draft', private: false }, { activity: false });
  // As marked by an older release.
  await log('draft-deleted', ['dataset', 'draft', 'deleted'], dead);
  await log('purged-made', ['dataset', 'purged', 'created'], null);
  await log('topic-made', ['group', 'topic', 'created'], null, { detail: { row: { state: 'active' } } });
  await log('topic-joined', ['group', 'topic', 'updated'], null, { activity: false });
  await log('topic-deleted', ['group', 'topic', 'deleted'], null, { activity: false });
  await log('topic-left', ['group', 'topic', 'updated'], null, { activity: false });
  await log('ann-made', ['user', 'ann', 'created'], null);
  await log('guest-made', ['user', 'guest', 'created'], null);
  await log('related-made', ['related', 'item', 'created'], null, { detail: { datasetId: 'open' } });
  await log('related-purged', ['related', 'item-2', 'created'], null, { detail: { datasetId: 'purged' } });
  await log('view-made', ['view', 'view', 'created'], null, { activity: false });
  // Later migrations follow this one. This test does not check them.
  expect((await migrate(database.url))[0]).toBe(OWN);
});
afterAll(async () => {
  await client.end();
  rmSync(old, { recursive: true });
  await database.end();
});

const column = async (text: string): Promise<unknown[]> =>
  (await client.query({ text, rowMode: 'array' })).rows.map(([value]) => value);

it('marks exactly the changes that were public', async () => {
  expect(await column('SELECT revision_id FROM change WHERE is_public ORDER BY sequence')).toEqual([
    'open-made',
    'open-filed',
    'open-deleted',
    'moved-made',
    'topic-made',
    'topic-joined',
    'topic-deleted',
    'ann-made',
    'related-made',
  ]);
});

it('shows the revisions of public changes, and keeps those of purged objects as positions', async () => {
  const of = (visibility: string) =>
    column(`SELECT id FROM revision WHERE visibility = '${visibility}' ORDER BY created_at`);
  expect(await of('public')).toEqual([
    'open-made',
    'open-filed',
    'open-deleted',
    'moved-made',
    'topic-made',
    'topic-joined',
    'topic-deleted',
    'ann-made',
  ]);
  expect(await of('purged')).toEqual(['purged-made']);
});

it('adds activities to the streams of their former groups, and removes purged ones', async () => {
  const filed = `SELECT c.revision_id || ' ' || a.group_id FROM activity_group a JOIN change c USING (sequence) ORDER BY 1`;
  expect(await column(filed)).toEqual([
    'open-deleted office',
    'open-deleted topic',
    'open-made office',
    'open-made topic',
  ]);
  expect(
    await column(
      `SELECT revision_id FROM change WHERE activity_id IS NULL AND revision_id IN ('purged-made', 'related-purged') ORDER BY 1`,
    ),
  ).toEqual(['purged-made', 'related-purged']);
});
