/** Reads by key return the same rows as Prisma: all scalar types, and only rows with the given keys and values. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { counterBy, listOf, readerBy } from '../../src/infra/postgres/by-keys.sql.ts';
import { type Database, openDatabase } from '../../src/infra/postgres/db.ts';
import { createDatabase } from '../helpers/database.ts';

let own: Awaited<ReturnType<typeof createDatabase>>;
let database: Database;

const fields = {
  id: true,
  entityId: true,
  taskType: true,
  key: true,
  value: true,
  updatedAt: true,
} as const;
type Row = { id: string; entityId: string; taskType: string; key: string; value: string | null; updatedAt: Date };
const choice = { table: 'task_status', fields };
const readAny = readerBy<Row>({ ...choice, by: ['id', 'entityId'], order: ['key'] });
const readTyped = readerBy<Row>({ ...choice, by: ['entityId'], and: ['taskType', 'key'] });
/** All statuses of an entity, by the id of the entity or of one of its statuses. */
const readThrough = readerBy<Row>({
  ...choice,
  by: ['entityId'],
  through: { table: 'task_status', field: 'entityId' },
  order: ['id'],
});
const listChecks = listOf<Row>({
  ...choice,
  and: ['taskType'],
  after: 'entityId',
  like: ['value', 'entityId'],
  order: ['id'],
});
const listAll = listOf<Row>({ ...choice, order: ['id'] });
const count = counterBy({ table: 'task_status', by: 'entityId' });
const countTyped = counterBy({ table: 'task_status', by: 'entityId', and: ['taskType'] });

beforeAll(async () => {
  own = await createDatabase();
  database = openDatabase({ url: own.url, max: 2 });
  const row = { entityType: 'resource', updatedAt: new Date('2026-11-21T10:00:00.123Z') };
  await database.db.taskStatus.createMany({
    data: [
      { ...row, id: 'one', entityId: 'a', taskType: 'check', key: 'z', value: 'é "1"' },
      { ...row, id: 'two', entityId: 'a', taskType: 'load', key: 'y', value: null },
      { ...row, id: 'three', entityId: 'b', taskType: 'check', key: 'z', value: '' },
    ],
  });
});

afterAll(async () => {
  await database.close();
  await own.end();
});

it('finds rows by either key, in order, with the same types as Prisma', async () => {
  const expected = await database.db.taskStatus.findMany({
    select: fields,
    where: { OR: [{ id: 'three' }, { entityId: 'a' }] },
    orderBy: { key: 'asc' },
  });
  expect(expected).toHaveLength(3);
  for (let run = 0; run < 3; run += 1) {
    const found = await readAny(database.sql, ['a', 'three', 'unknown']);
    expect(found[0]).toEqual(expected[0]);
    expect(new Set(found)).toEqual(new Set(expected));
  }
});

it('filters by the other columns', async () => {
  expect((await readTyped(database.sql, ['a', 'b'], 'check', 'z')).map(({ id }) => id).sort()).toEqual([
    'one',
    'three',
  ]);
  expect(await readTyped(database.sql, ['a'], 'load', 'z')).toEqual([]);
  expect(await readTyped(database.sql, [], 'check', 'z')).toEqual([]);
});

it('finds rows through another table', async () => {
  const idsOf = async (...keys: string[]) => (await readThrough(database.sql, keys)).map(({ id }) => id);
  expect(await idsOf('a')).toEqual(['one', 'two']);
  expect(await idsOf('two')).toEqual(['one', 'two']);
  expect(await idsOf('two', 'b')).toEqual(['one', 'three', 'two']);
  expect(await idsOf('unknown')).toEqual([]);
});

it('lists the first matching rows', async () => {
  const idsOf = (rows: Row[]) => rows.map(({ id }) => id);
  expect(idsOf(await listAll(database.sql, null))).toEqual(['one', 'three', 'two']);
  expect(idsOf(await listAll(database.sql, 2))).toEqual(['one', 'three']);
  expect(idsOf(await listChecks(database.sql, null, 'check', '', '%'))).toEqual(['one', 'three']);
  expect(idsOf(await listChecks(database.sql, null, 'check', '', '%É%'))).toEqual(['one']);
  expect(idsOf(await listChecks(database.sql, null, 'check', '', 'b'))).toEqual(['three']);
  expect(idsOf(await listChecks(database.sql, null, 'check', 'a', '%'))).toEqual(['three']);
  expect(idsOf(await listChecks(database.sql, 0, 'check', '', '%'))).toEqual([]);
});

it('counts rows by key', async () => {
  const byId = async (found: Promise<{ id: string; n: number }[]>) =>
    new Map((await found).map(({ id, n }) => [id, n]));
  expect(await byId(count(database.sql, ['a', 'b', 'unknown']))).toEqual(
    new Map([
      ['a', 2],
      ['b', 1],
    ]),
  );
  expect(await byId(countTyped(database.sql, ['a', 'b'], 'load'))).toEqual(new Map([['a', 1]]));
});
