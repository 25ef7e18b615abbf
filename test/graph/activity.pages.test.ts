/** Pages of activity streams equal slices of the whole stream, read from the log or from the sources. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { typeOf } from '../../src/catalog/activity/activity.service.ts';
import {
  type ActivityRow,
  countNews,
  listNews,
  type Part,
  partsOfStreams,
  type Reading,
} from '../../src/catalog/activity/activity.sql.ts';
import { type Database, openDatabase } from '../../src/infra/postgres/db.ts';
import type { TestUser } from '../helpers/make.ts';
import { randomOf, randomWrites } from '../helpers/random-writes.ts';
import { createWorld, type World } from '../helpers/world.ts';

const random = randomOf(20_261_130);
const below = (count: number): number => Math.floor(random() * count);
const pick = <T>(list: readonly T[]): T => list[below(list.length)]!;

let world: World;
let database: Database;
let editor: TestUser;
let eve: TestUser;
const organizations: { id: string; name: string }[] = [];
const groups: { id: string; name: string }[] = [];
beforeAll(async () => {
  world = await createWorld();
  database = openDatabase({ url: world.database.url, max: 1 });
  const admin = await world.make.sysadmin();
  editor = await world.make.user();
  eve = await world.make.user();
  for (const name of ['one', 'two', 'three']) {
    const users = [{ name: editor.name, capacity: 'editor' }];
    organizations.push(await world.result('organization_create', { name: `${name}-org`, users }, { as: admin }));
    groups.push(await world.result('group_create', { name: `${name}-group` }, { as: admin }));
  }
  for (let n = 0; n < 12; n += 1)
    await world.result(
      'package_create',
      { name: `data-${n}`, owner_org: pick(organizations).id, groups: [pick(groups)] },
      { as: admin },
    );
  for (const as of [editor, eve]) {
    for (const { id } of [pick(organizations), pick(groups)]) await world.result('follow_group', { id }, { as });
    await world.result('follow_user', { id: admin.name }, { as });
    for (const id of ['data-0', 'data-1', 'data-2']) await world.result('follow_dataset', { id }, { as });
  }
  for (const { id } of [editor, eve, admin])
    await world.result(
      'activity_create',
      { user_id: admin.id, object_id: id, activity_type: 'changed user' },
      { as: admin },
    );
  const write = randomWrites({ world, admin, editor, organizations, groups });
  for (let n = 0; n < 150; n += 1) await write(n);
});
afterAll(async () => {
  await database?.close();
  await world?.end();
});

const timeout = { seconds: 60, setting: 'search.timeout' };
const WHOLE: Part = { from: null, backward: false, offset: 0, limit: 10_000, where: {} };

it.each(['ORGANIZATION', 'GROUP', 'DASHBOARD'] as const)('pages of %s streams equal slices', async (kind) => {
  const ids = { ORGANIZATION: organizations, GROUP: groups, DASHBOARD: [editor, eve] }[kind].map(({ id }) => id);
  const member = organizations.map(({ id }) => id);
  const readers: Reading['reader'][] = [
    [true, null, [], []],
    [false, editor.id, member, member],
    [false, eve.id, [], []],
  ];
  let compared = 0;
  for (const reader of readers) {
    const read = (part: Part) => partsOfStreams(database.sql, kind, ids, part, { reader, timeout });
    const whole = await read(WHOLE);
    const entries = [...whole.values()].flat();
    for (let turn = 0; turn < 60; turn += 1) {
      const backward = random() < 0.3;
      const from = random() < 0.5 ? null : pick(entries).sequence;
      const [limit, offset] = [below(12), random() < 0.3 ? below(20) : 0];
      const { actorId, happenedAt } = pick(entries);
      const where = pick<Part['where']>([
        {},
        {},
        { types: ['DATASET_CHANGED'] },
        { since: happenedAt },
        { until: happenedAt },
        ...(actorId === null ? [] : [{ actor: actorId }]),
      ]);
      const part = { from, backward, offset, limit, where };
      const found = await read(part);
      for (const [id, all] of whole) {
        const chosen = all.filter(
          (entry) =>
            (from === null || (backward ? entry.sequence > from : entry.sequence < from)) &&
            (where.actor === undefined || entry.actorId === where.actor) &&
            (where.types === undefined || where.types.includes(typeOf(entry))) &&
            (where.since === undefined || entry.happenedAt >= where.since) &&
            (where.until === undefined || entry.happenedAt <= where.until),
        );
        const expected = positions(backward ? chosen.toReversed() : chosen).slice(offset, offset + limit);
        expect({ ...part, reader, id, found: positions(found.get(id)!) }).toEqual({
          ...part,
          reader,
          id,
          found: expected,
        });
        compared += expected.length;
      }
    }
  }
  expect(compared).toBeGreaterThan(300);
});

it('pages and counts of news equal slices of the dashboard', async () => {
  let compared = 0;
  for (const { id } of [editor, eve]) {
    const reader: Reading['reader'] = [false, id, [], []];
    const whole = await partsOfStreams(database.sql, 'DASHBOARD', [id], WHOLE, { reader, timeout });
    const news = positions(whole.get(id)!.filter(({ actorId }) => actorId !== id));
    for (let turn = 0; turn < 60; turn += 1) {
      const [before, after] = [random() < 0.5 ? null : pick(news), random() < 0.3 ? 0 : pick(news)];
      const limit = 1 + below(40);
      const expected = news.filter((at) => at > after && (before === null || at < before)).slice(0, limit);
      const found = positions(await listNews(database.sql, { before, after }, limit, reader));
      const count = await countNews(database.sql, { before, after }, limit, reader);
      const range = { id, before, after, limit };
      expect({ ...range, found, count }).toEqual({ ...range, found: expected, count: expected.length });
      compared += expected.length;
    }
  }
  expect(compared).toBeGreaterThan(100);
});

const positions = (entries: readonly ActivityRow[]): number[] => entries.map(({ sequence }) => sequence);
