/** `site.operations`: every figure equals the requests sent or an SQL count, and only system administrators read it. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { enqueue } from '../../src/jobs/queue.service.ts';
import { createBeating } from '../../src/operations/beat.service.ts';
import { createRecorder } from '../../src/operations/recorder.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

const QUERY = `query ($interval: TrafficInterval!, $first: Int!) { site { operations {
  processes { host pid version isAlive memory startedAt beatAt }
  traffic(interval: $interval) { start requests refused failed averageMs }
  slowRequests { at method route operation status milliseconds }
  jobs { kind state count oldestAt }
  datastore { bytes tables largest(first: $first) { resourceId bytes rows resource { name } } } } } }`;
const SECRET = 'value-of-somebody';
const MINUTE = 60_000;

let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld();
  await world.datastore();
  admin = await world.make.sysadmin();
});
afterAll(() => world.end());

const rows = (text: string) => world.database.pool.query(text).then((it) => it.rows as any[]);
const read = async (variables: object = {}, as: TestUser | null = admin): Promise<any> =>
  (await world.graph(QUERY, { interval: 'MINUTE', first: 10, ...variables }, { as })).body;
const sum = (list: any[], key: string): number => list.reduce((total, it) => total + it[key], 0);

describe('requests', () => {
  it('are recorded without operation names that are invalid in GraphQL', async () => {
    const recording = world.app.startRecording();
    const names = ['a\u0000b', `${'a'.repeat(99)}😀`, '\ud83d', 'cookie:\tx', '\u009b31m', '', ' Named'];
    const sent = new Date(Date.now() - 1);
    for (const operationName of names) {
      const body = JSON.stringify({ query: '{ __typename }', operationName });
      const { status } = await world.request('/graphql', {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      });
      expect([operationName, status < 500]).toEqual([operationName, true]);
    }
    await recording.wake();
    await recording.stop();
    const [{ slowest }] = await rows(
      `SELECT slowest FROM server_process WHERE beat_at >= '${sent.toISOString()}' ORDER BY beat_at DESC LIMIT 1`,
    );
    const stored = slowest.filter(({ at }: any) => at >= +sent);
    expect(stored).toHaveLength(names.length);
    expect(stored.map(({ operation }: any) => operation)).toEqual(names.map(() => null));
    await rows('DELETE FROM server_process');
  });

  it('are counted over two processes, without storing their parameters', async () => {
    const recording = world.app.startRecording();
    await recording.wake();
    const before = (await read()).data.site.operations.traffic;
    await recording.wake();
    const sent = { requests: 1, refused: 0, failed: 0 }; // the query above
    for (let i = 0; i < 25; i += 1)
      for (const { status } of [
        await world.action('package_show', { id: `${SECRET}-${i}` }),
        await world.request(`/dataset/${SECRET}?q=${SECRET}`, { headers: { accept: 'text/html' } }),
        await world.graph(`query Named { dataset(name: "${SECRET}") { id } }`, {}),
        await world.request(`/${SECRET}`),
        await world.action('status_show', {}),
      ]) {
        sent.requests += 1;
        if (status >= 400) sent.refused += 1;
      }
    expect(sent.refused).toBeGreaterThan(25);
    const other = createRecorder();
    for (const status of [200, 404, 500]) {
      const at = Date.now();
      other.record({ at, method: 'GET', route: '/other', operation: null, status, milliseconds: 90_000 });
    }
    await createBeating(other, '9.9.9').beat(world.app.callAs(world.system));
    await recording.wake();
    await recording.stop();
    const { traffic, processes, slowRequests } = (await read()).data.site.operations;
    const grown = (key: string) => sum(traffic, key) - sum(before, key);
    const statuses = [grown('requests'), grown('refused'), grown('failed')];
    expect(statuses).toEqual([sent.requests + 3, sent.refused + 1, 1]);
    expect(processes.map(({ isAlive }: any) => isAlive)).toEqual([true, true]);
    expect(processes.map(({ version }: any) => version)).toContain('9.9.9');
    expect(slowRequests).toHaveLength(20);
    expect(slowRequests.slice(0, 3).map(({ route }: any) => route)).toEqual(['/other', '/other', '/other']);
    const stored = JSON.stringify(await rows('SELECT * FROM server_process'));
    expect(stored).not.toContain(SECRET);
    expect(stored).toContain('/api/action/:name');
  });

  it('are summed by minute and hour like in SQL', async () => {
    await rows(`INSERT INTO server_minute (minute, process_id, requests, refused, failed, milliseconds)
      SELECT date_trunc('minute', now()) - n * interval '7 minutes', id, n, n % 3, n % 2, n * 2.5
      FROM generate_series(1, 250) n, (SELECT id FROM server_process LIMIT 1) p ON CONFLICT DO NOTHING`);
    for (const [interval, unit, count] of [
      ['MINUTE', 'minute', 60],
      ['HOUR', 'hour', 24],
    ] as const) {
      const { traffic } = (await read({ interval })).data.site.operations;
      expect(traffic).toHaveLength(count);
      const all =
        await rows(`SELECT date_trunc('${unit}', minute) AS start, sum(requests)::int AS requests, sum(refused)::int AS refused,
        sum(failed)::int AS failed, sum(milliseconds) AS ms FROM server_minute GROUP BY 1`);
      for (const { start, requests, refused, failed, averageMs } of traffic) {
        const expected = all.find((it) => +it.start === Date.parse(start));
        expect([start, requests, refused, failed]).toEqual([
          start,
          ...(expected ? [expected.requests, expected.refused, expected.failed] : [0, 0, 0]),
        ]);
        if (requests === 0) expect(averageMs).toBeNull();
        else expect(averageMs).toBeCloseTo(expected.ms / expected.requests, 6);
      }
      const steps = traffic
        .slice(1)
        .map(({ start }: any, at: number) => Date.parse(start) - Date.parse(traffic[at].start));
      expect(new Set(steps)).toEqual(new Set([interval === 'HOUR' ? 60 * MINUTE : MINUTE]));
    }
  });

  it('of an ended process are deleted after a day', async () => {
    await rows(`UPDATE server_process SET beat_at = now() - interval '26 hours' WHERE version = '9.9.9'`);
    expect((await read()).data.site.operations.processes).toHaveLength(1);
    await createBeating(createRecorder(), '1.0.0').beat(world.app.callAs(world.system));
    expect(await rows(`SELECT 1 FROM server_process WHERE version = '9.9.9'`)).toEqual([]);
    expect(await rows(`SELECT 1 FROM server_minute WHERE minute < now() - interval '25 hours 1 minute'`)).toEqual([]);
  });
});

it('job counts equal SQL counts', async () => {
  const call = world.app.callAs(world.system);
  for (let n = 0; n < 5; n += 1)
    await enqueue(call, { kind: n % 2 ? 'words' : 'load', subjectType: 'resource', subjectId: `r${n}` });
  await rows(`UPDATE job SET state = 'failed' WHERE subject_id = 'r0'`);
  const { jobs } = (await read()).data.site.operations;
  const expected = await rows(`SELECT kind, upper(state) AS state, count(*)::int AS count, min(created_at) AS "oldestAt"
    FROM job GROUP BY kind, state ORDER BY kind, state`);
  expect(jobs).toEqual(expected.map((it) => ({ ...it, oldestAt: it.oldestAt.toISOString() })));
  expect(jobs.length).toBeGreaterThan(2);
});

it('lists tables by size, largest first', async () => {
  const dataset = await world.make.dataset({});
  const ids: string[] = [];
  for (const count of [1, 5_000]) {
    const resource = { package_id: dataset.id, name: `rows-${count}`, url: 'http://x' };
    ids.push((await world.result('resource_create', resource, { as: admin })).id);
    const records = Array.from({ length: count }, (_, n) => ({ n, text: 'x'.repeat(50) }));
    await world.result('datastore_create', { resource_id: ids.at(-1), force: true, records }, { as: admin });
  }
  const { datastore } = (await read()).data.site.operations;
  expect(datastore.tables).toBe(2);
  expect(datastore.bytes).toBeGreaterThan(1_000_000);
  expect(datastore.largest.map(({ resourceId }: any) => resourceId)).toEqual([ids[1], ids[0]]);
  expect(datastore.largest.map(({ resource }: any) => resource.name)).toEqual(['rows-5000', 'rows-1']);
  expect(datastore.largest[0].bytes).toBeGreaterThan(5_000 * 50);
  expect((await read({ first: 1 })).data.site.operations.datastore.largest).toHaveLength(1);
  for (const first of [0, 51]) {
    const { errors } = await read({ first });
    expect(errors.map(({ extensions }: any) => extensions.code)).toEqual(['VALIDATION']);
  }
});

it('refuses visitors and regular users', async () => {
  for (const as of [null, await world.make.user()]) {
    const { data, errors } = await read({}, as);
    expect([data.site.operations, errors.map(({ extensions }: any) => extensions.code)]).toEqual([
      null,
      ['NOT_AUTHORIZED'],
    ]);
  }
});
