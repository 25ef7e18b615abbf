/** Activity streams and revision lists read only visible entries: their cost does not grow with hidden or old ones. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { activityList } from '../../src/catalog/activity/activity.service.ts';
import { revisionConnection, revisionIds } from '../../src/catalog/revision/revision.service.ts';
import type { Sql } from '../../src/infra/postgres/db.ts';
import { type Actor, anonymous, type Call } from '../../src/kernel/call.ts';
import { createWorld, type World } from '../helpers/world.ts';

const HIDDEN = 20_000;
const SHOWN = 2_000;
let world: World;
let owner: { id: string };
beforeAll(async () => {
  world = await createWorld();
  const user = await world.make.user({ name: 'ann' });
  owner = await world.make.organization({ name: 'office' });
  const fill = (text: string) => world.database.sql.rows({ text });
  // The oldest entries are public, of datasets deleted since. All newer entries are hidden.
  await fill(`INSERT INTO dataset (id, name, title, created_at, modified_at, revision_id, state, owner_organization_id)
    SELECT 'd' || i, 'd' || i, '', now(), now(), 'r', 'deleted', '${owner.id}' FROM generate_series(1, 20) AS i`);
  await fill(`INSERT INTO revision (id, created_at, author, message, visibility)
    SELECT 'r' || i, timestamptz '2020-01-01' + i * interval '1 second', 'x', 'x', CASE WHEN i <= ${SHOWN} THEN 'public' ELSE 'private' END
    FROM generate_series(1, ${SHOWN + HIDDEN}) AS i`);
  await fill(`INSERT INTO change (revision_id, actor_id, object_type, object_id, action, activity_id, is_public)
    SELECT 'r' || i, '${user.id}', 'dataset', 'd' || (1 + i % 20), 'updated', CASE WHEN i <= ${SHOWN} THEN 'a' || i END, i <= ${SHOWN}
    FROM generate_series(1, ${SHOWN + HIDDEN}) AS i`);
  await fill(
    `INSERT INTO activity_group (group_id, sequence) SELECT '${owner.id}', sequence FROM change WHERE is_public`,
  );
  for (const table of ['revision', 'change', 'activity_group', 'dataset']) await fill(`VACUUM ANALYZE ${table}`);
});
afterAll(() => world.end());

interface Plan {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}
/** Rows read by the leaf nodes of a plan. */
const looked = ({ Plans = [], ...plan }: Plan): number =>
  Plans.length > 0
    ? Plans.reduce((sum, below) => sum + looked(below), 0)
    : (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];

async function rowsRead(actor: Actor, work: (call: Call) => Promise<unknown>): Promise<number> {
  let sum = 0;
  const sql: Sql = {
    async rows({ text }, values = []) {
      const [row] = await world.database.sql.rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        { text: `EXPLAIN (ANALYZE, FORMAT JSON) ${text}` },
        values,
      );
      sum += looked(row!['QUERY PLAN'][0].Plan);
      return world.database.sql.rows({ text }, values);
    },
  };
  await work({ ...world.app.callAs(actor), sql });
  return sum;
}

const WAYS: [string, (call: Call) => Promise<unknown>][] = [
  ['the stream of the site', (call) => activityList(call, { of: 'SITE', limit: 20 })],
  ['the stream of an organization', (call) => activityList(call, { of: 'ORGANIZATION', id: 'office', limit: 20 })],
  ['the stream of a user', (call) => activityList(call, { of: 'USER', id: 'ann', limit: 20 })],
  ['a page of revisions', (call) => revisionConnection(call, { first: 20 })],
  ['ids of revisions', (call) => revisionIds(call, { limit: 20 })],
  ['ids of revisions after one', (call) => revisionIds(call, { limit: 20, sinceId: 'r5' })],
];
it.each(WAYS)('%s reads fewer than 300 rows despite 20,000 hidden entries', async (_name, work) => {
  const stranger: Actor = { ...anonymous('test'), userId: 'stranger', name: 'stranger' };
  for (const actor of [anonymous('test'), stranger]) expect(await rowsRead(actor, work)).toBeLessThan(300);
});
