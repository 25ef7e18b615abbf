/** Responses of every endpoint while PostgreSQL refuses connections or writes or is out of space, and while the DataStore is down. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { ADMIN_URL } from '../helpers/database.ts';
import { ask, type Endpoint, endpointsOf, makeScenery } from '../helpers/endpoints.ts';
import type { TestUser } from '../helpers/make.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let boss: TestUser;
let endpoints: Endpoint[];
let admin: pg.Client;

beforeAll(async () => {
  admin = new pg.Client({ connectionString: process.env[ADMIN_URL] });
  await admin.connect();
  world = await createWorld();
  await world.datastore();
  boss = await world.make.user({ sysadmin: true, name: 'admin' });
  const call = (action: string, params: object) => world.result(action, { ...params }, { as: boss });
  endpoints = endpointsOf(await makeScenery(world.base, boss.key, call));
});

afterAll(async () => {
  await world.end();
  await admin.end();
});

const nameOf = (url: string) => new URL(url).pathname.slice(1);
const askAll = () => Promise.all(endpoints.map((endpoint) => ask(world.base, endpoint)));
const isWell = async () => (await askAll()).every(({ status }) => status > 0 && status < 500);

/** Closes the connections to a database, because its settings apply to new ones only. */
const cut = (name: string) =>
  admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);

it('returns 503 in the format of each endpoint if there are too many connections (53300)', async () => {
  const name = nameOf(world.database.url);
  await admin.query(`ALTER DATABASE ${name} CONNECTION LIMIT 0`);
  try {
    await cut(name);
    await until(async () => (await world.request('/readyz')).status === 503);
    const answers = await askAll();
    expect(
      answers.filter(
        ({ status, retryAfter, text }, index) =>
          status !== 503 || retryAfter === null || !endpoints[index]!.says.test(text),
      ),
    ).toEqual([]);
    expect((await world.request('/livez')).status).toBe(200);
    const { body } = await world.request('/readyz');
    expect(body).toMatchObject({
      status: 'failing',
      parts: { database: 'failing', migrations: 'failing', datastore: 'ok', files: 'ok' },
    });
  } finally {
    await admin.query(`ALTER DATABASE ${name} CONNECTION LIMIT -1`);
  }
  await until(isWell);
  await until(async () => (await world.request('/readyz')).status === 200);
});

it('reads, and returns 503 to writes, if the database is read-only (25006)', async () => {
  const name = nameOf(world.database.url);
  await until(async () => (await world.request('/changes')).status === 200); // assigns positions to all changes, which is a write
  await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  try {
    await cut(name);
    await until(async () => (await world.request('/changes')).status === 200);
    const answers = new Map((await askAll()).map((answer) => [answer.name, answer]));
    expect(answers.get('action, key')).toMatchObject({ status: 200 });
    for (const writes of ['action, write', 'action, upload', 'legacy write', 'graph, mutation'])
      expect([writes, answers.get(writes)]).toEqual([
        writes,
        expect.objectContaining({ status: 503, retryAfter: expect.any(String) }),
      ]);
  } finally {
    await admin.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await cut(name);
  }
  await until(isWell);
});

it('returns 503 to a write without disk space (53100), and reports the outcome of each batch item', async () => {
  const { sql } = world.database;
  await sql.rows({
    text: `CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.name LIKE 'large%' THEN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END IF;
      RETURN NEW; END $$`,
  });
  await sql.rows({ text: 'CREATE TRIGGER no_room BEFORE INSERT ON dataset FOR EACH ROW EXECUTE FUNCTION no_room()' });
  const refused = await world.action('package_create', { name: 'large' }, { as: boss });
  expect(refused.status).toBe(503);
  expect(refused.body.error).toMatchObject({ __type: 'Service Unavailable' });
  expect(refused.text).not.toContain('extend file');
  const many = (names: string[]) =>
    world.graph(
      'mutation ($items: [CreateDatasetInput!]!) { createDatasets(input: { items: $items }) { results { dataset { name } errors { code } } errors { code } } }',
      { items: names.map((name) => ({ name })) },
      { as: boss },
    );
  const some = await many(['small', 'large-1', 'tiny']);
  expect([some.status, some.body.data?.createDatasets.results]).toEqual([
    200,
    [
      { dataset: { name: 'small' }, errors: [] },
      { dataset: null, errors: [{ code: 'UNAVAILABLE' }] },
      { dataset: { name: 'tiny' }, errors: [] },
    ],
  ]);
  expect((await many(['large-2'])).status).toBe(503);
  await sql.rows({ text: 'DROP TRIGGER no_room ON dataset' });
  await world.result('package_create', { name: 'large' }, { as: boss });
});

it('returns 503 only from endpoints that need tables while the DataStore is down', async () => {
  await world.withoutDatastore();
  const answers = await askAll();
  const wrong = answers.filter(({ status, text }, index) =>
    endpoints[index]!.isTable ? status !== 503 || !endpoints[index]!.says.test(text) : status === 0 || status >= 500,
  );
  expect(wrong).toEqual([]);
  await until(async () => (await world.request('/readyz')).status === 503);
  expect((await world.request('/readyz')).body.parts).toMatchObject({ database: 'ok', datastore: 'failing' });
});
