/** Table records of one answer of /graphql: at most 64 MiB, at whichever fields and aliases. */
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
    ({ world } = await createTables(settings));
  });
  afterAll(() => world.end());

  const lengthsOf = async (query: string) => {
    const { status, body } = await world.graph(query);
    expect(status).toBe(200);
    const found = Object.values<any>(body.data).flatMap((one) => Object.values<any>(one ?? { records: [] }));
    return { lengths: found.map((records) => records.length).sort(), errors: body.errors };
  };

  it('has them in several fields', async () => {
    const { lengths, errors } = await lengthsOf(
      `{ a: tableQuery(${sql(33)}) { records } b: tableQuery(${sql(34)}) { records } }`,
    );
    expect({ lengths, errors }).toEqual({ lengths: [33, 34], errors: undefined });
  });

  it('refuses the field that has more', async () => {
    const fields = ['a', 'b', 'c'].map((name) => `${name}: tableQuery(${sql(33)}) { records }`);
    const { lengths, errors } = await lengthsOf(`{ ${fields.join(' ')} }`);
    expect(lengths).toEqual([0, 33, 33]); // in the order in which they end
    expect(errors).toMatchObject([limit]);
  });

  it('refuses copies by aliases', async () => {
    const aliases = Array.from({ length: 90 }, (_, n) => `a${n}: records`);
    const { lengths, errors } = await lengthsOf(`{ tableQuery(${sql(33)}) { ${aliases.join(' ')} } }`);
    expect({ lengths, errors }).toMatchObject({ lengths: [0], errors: [limit] });
  });
});
