/** Reads by keys return what Prisma returns: all scalar types, and only rows with the keys and the other values. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readerBy } from '../../src/infra/postgres/by-keys.sql.ts';
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

it('finds rows by either key, in order, with the types of Prisma', async () => {
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

it('compares the other values', async () => {
  expect((await readTyped(database.sql, ['a', 'b'], 'check', 'z')).map(({ id }) => id).sort()).toEqual([
    'one',
    'three',
  ]);
  expect(await readTyped(database.sql, ['a'], 'load', 'z')).toEqual([]);
  expect(await readTyped(database.sql, [], 'check', 'z')).toEqual([]);
});
