/** Size limits of one answer of /graphql: 64 MiB of table records over all fields and aliases, 128 MiB in all. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTables } from '../helpers/tables.ts';
import type { World } from '../helpers/world.ts';

/** A statement with `rows` texts of 989,999 characters. */
const sql = (rows: number) =>
  `sql: "SELECT (SELECT string_agg(md5(a::text), ' ') FROM generate_series(1, 30000) AS a) AS x FROM generate_series(1, ${rows}) AS b"`;
const limit = { message: expect.stringContaining('67108864 bytes'), extensions: { code: 'LIMIT' } };

describe.each([
  ['without a trace', {}],
  ['with the times of its fields', { 'catalog.server_timing': true }],
])('an answer %s', (_what, settings) => {
  let world: World;
  beforeAll(async () => {
    ({ world } = await createTables(settings, { counts: true }));
  });
  afterAll(() => world.end());

  const lengthsOf = async (query: string) => {
    const { status, body } = await world.graph(query);
    expect(status).toBe(200);
    const found = Object.values<any>(body.data).flatMap((one) => Object.values<any>(one ?? { records: [] }));
    return { lengths: found.map((records) => records.length).sort(), errors: body.errors };
  };

  it('returns records up to the limit in several fields', async () => {
    const { lengths, errors } = await lengthsOf(
      `{ a: tableQuery(${sql(33)}) { records } b: tableQuery(${sql(34)}) { records } }`,
    );
    expect({ lengths, errors }).toEqual({ lengths: [33, 34], errors: undefined });
  });

  it('refuses the field that exceeds the limit', async () => {
    const fields = ['a', 'b', 'c'].map((name) => `${name}: tableQuery(${sql(33)}) { records }`);
    const { lengths, errors } = await lengthsOf(`{ ${fields.join(' ')} }`);
    expect(lengths).toEqual([0, 33, 33]); // in the order in which they end
    expect(errors).toMatchObject([limit]);
  });

  it('runs no further statements once the limit is exceeded', async () => {
    const fields = Array.from({ length: 12 }, (_, n) => `a${n}: tableQuery(${sql(40)}) { records }`);
    const answer: { lengths?: number[]; errors?: unknown[] } = {};
    const sent = await world.statementsOf(async () =>
      Object.assign(answer, await lengthsOf(`{ ${fields.join(' ')} }`)),
    );
    expect(answer.lengths!.slice(0, 11)).toEqual(Array.from({ length: 11 }, () => 0));
    expect(answer.errors!.length).toBeGreaterThanOrEqual(11);
    const run = sent.filter((text) => text.includes('datastore_search_sql'));
    expect(run.length).toBeLessThanOrEqual(2 * world.settings['catalog.datastore.statements_per_caller']);
  });

  it('refuses copies by aliases', async () => {
    const aliases = Array.from({ length: 90 }, (_, n) => `a${n}: records`);
    const { lengths, errors } = await lengthsOf(`{ tableQuery(${sql(33)}) { ${aliases.join(' ')} } }`);
    expect({ lengths, errors }).toMatchObject({ lengths: [0], errors: [limit] });
  });

  it('sends JSON values unchanged, also as an event', async () => {
    const query = `{ tableQuery(sql: "SELECT '{\\"n\\":\\n12345678901234567890}'::json AS x") { records } }`;
    const text = '"records":[{"x":{"n":';
    const plain = await world.graph(query);
    expect(plain.text.replace(/\s/g, '')).toContain(`${text}12345678901234567890}}]`);
    const events = await world.graph(query, {}, { headers: { accept: 'text/event-stream' } });
    expect(events.text.replaceAll(' ', '')).toContain(`${text}12345678901234567890}}]`);
    expect(events.text.split('\n').filter((line) => line.startsWith('data:'))).toHaveLength(2);
  });

  it('has at most 128 MiB in all', async () => {
    const { name } = await world.make.dataset({ notes: 'x'.repeat(1_500_000) });
    const queryOf = (copies: number) => {
      const aliases = Array.from({ length: copies }, (_, n) => `a${n}: notes`);
      return `{ dataset(name: "${name}") { ${aliases.join(' ')} } }`;
    };
    expect((await world.graph(queryOf(89))).body.data.dataset.a88).toHaveLength(1_500_000);
    const tooLong = { message: expect.stringContaining('134217728 bytes'), extensions: { code: 'LIMIT' } };
    const refused = { data: null, errors: [tooLong], extensions: { cost: expect.anything() } };
    const { status, body, headers } = await world.request(`/graphql?query=${encodeURIComponent(queryOf(90))}`);
    expect({ status, body, caching: headers.get('cache-control'), etag: headers.get('etag') }).toEqual({
      ...{ status: 200, body: refused, caching: 'no-store', etag: null },
    });
    const events = await world.graph(queryOf(90), {}, { headers: { accept: 'text/event-stream' } });
    expect(JSON.parse(/^data: (.*)$/m.exec(events.text)![1]!)).toEqual(refused);
  });
});
