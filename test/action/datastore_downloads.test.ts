/** Limits of concurrent table downloads: in total and per caller. */
import http from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createTables, type Tables } from '../helpers/tables.ts';
import { until } from '../helpers/until.ts';
import type { World } from '../helpers/world.ts';

let world: World;
let editor: TestUser;
let stranger: TestUser;
let table: Tables['table'];
/** A table that is larger than all buffers on the way. */
let long: string;
const [MAX, MAX_PER_CALLER] = [3, 2];

beforeAll(async () => {
  ({ world, editor, stranger, table } = await createTables({
    'catalog.datastore.downloads': MAX,
    'catalog.datastore.downloads_per_caller': MAX_PER_CALLER,
  }));
  long = await table({ fields: [{ id: 'text', type: 'text' }] });
  await world.app
    .callAs(world.system)
    .stores.datastore!.write((sql) =>
      sql.rows({ text: `INSERT INTO "${long}" (text) SELECT repeat('x', 1000) FROM generate_series(1, 60000)` }),
    );
});
afterAll(() => world.end());

const headersOf = (as: TestUser | null) => (as ? { authorization: as.key } : {});
const get = (path: string, as: TestUser | null) =>
  world.request(`/datastore/dump/${path}`, { headers: headersOf(as) as Record<string, string> });

/** Starts a download without reading it. */
const begin = (as: TestUser | null) =>
  new Promise<http.IncomingMessage>((resolve, reject) => {
    http.get(`${world.base}/datastore/dump/${long}`, { headers: headersOf(as) }, resolve).on('error', reject);
  });

/** Repeats a download until it returns 200: a slot is free once the server has noticed the disconnect. */
async function untilAnswered(as: TestUser | null): Promise<void> {
  let answer: Awaited<ReturnType<typeof get>>;
  await until(
    async () => {
      answer = await get(`${long}?limit=1`, as);
      return answer.status === 200;
    },
    () => [answer.status, answer.text],
  );
}

it('limits downloads per caller and in total, and refuses more without waiting', async () => {
  const mine = [await begin(null), await begin(null)];
  expect(mine.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  const refused = await get(long, null);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
  expect(refused.text).toContain('catalog.datastore.downloads_per_caller');

  const theirs = await begin(editor);
  expect(theirs.statusCode).toBe(200);
  const full = await get(long, stranger);
  expect([full.status, full.headers.get('retry-after')]).toEqual([503, '10']);
  expect(full.text).toContain('(catalog.datastore.downloads)');

  const { records } = await world.result('datastore_search', { resource_id: long, limit: 1 });
  expect(records).toHaveLength(1);
  const { records: counted } = await world.result('datastore_search_sql', {
    sql: `SELECT count(*) AS n FROM "${long}"`,
  });
  expect(counted).toEqual([{ n: '60000' }]);

  theirs.destroy();
  await untilAnswered(stranger);
  expect((await get(`${long}?limit=1`, null)).status).toBe(429);
  mine[0]!.destroy();
  await untilAnswered(null);
  mine[1]!.destroy();
});

it('frees the slot of a refused or finished download immediately', async () => {
  const small = await table({ records: [{ n: 1 }] });
  await untilAnswered(null);
  const other = await begin(editor);
  for (let times = 0; times < 3 * MAX; times += 1) {
    expect((await get(`${small}?format=${times % 2 ? 'csv' : 'ndjson'}`, editor)).status).toBe(200);
    expect((await get(`${small}?sort=nope`, editor)).status).toBe(400);
    expect((await get(`${small}?q=%26&plain=false`, editor)).status).toBe(400);
  }
  other.destroy();
});
