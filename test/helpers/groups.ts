/** A table with columns of many types, nulls and unusual values, and queries of its groups. */
import { expect } from '@jest/globals';
import { createTables } from './tables.ts';

export const FIELDS = [
  { id: 'station', type: 'text' },
  { id: 'k0', type: 'text' }, // the name that the generated statement uses for its first group key
  { id: 'amount', type: 'int4' },
  { id: 'big', type: 'int8' },
  { id: 'price', type: 'numeric' },
  { id: 'ratio', type: 'float8' },
  { id: 'small', type: 'float4' },
  { id: 'day', type: 'date' },
  { id: 'at', type: 'timestamp' },
  { id: 'seen', type: 'timestamptz' },
  { id: 'is_open', type: 'bool' },
  { id: 'tags', type: 'text[]' },
  { id: 'note', type: 'json' },
  { id: 'lasts', type: 'interval' },
];
const STATIONS = ['Mill', 'Bridge', 'Müllerstraße', "O'Neil", '日本橋', '', 'a,b "c"', null];
const pad = (value: number) => String(value).padStart(2, '0');
export const RECORDS = Array.from({ length: 700 }, (_, n) => {
  const day = `20${pad(20 + (n % 5))}-${pad(1 + (n % 12))}-${pad(1 + (n % 28))}`;
  const or = <T>(every: number, value: T): T | null => (n % every === 0 ? null : value);
  return {
    station: STATIONS[n % STATIONS.length],
    k0: `k${n % 3}`,
    amount: or(7, (n % 41) - 20),
    big: or(11, `${9_007_199_254_740_993n + BigInt(n % 6)}`),
    price: or(5, (n * 0.37).toFixed(2)),
    ratio: n === 3 ? 'NaN' : n === 4 ? 'Infinity' : or(6, (n % 90) / 10),
    small: or(9, (n % 17) / 10),
    day: or(8, day),
    at: n === 9 ? 'infinity' : or(10, `${day}T${pad(n % 24)}:30:00.123456`),
    seen: or(13, `${day}T23:30:00-02:00`),
    is_open: or(4, n % 3 === 0),
    tags: [`t${n % 2}`],
    note: { n: n % 2 },
    lasts: `${n % 5} hours`,
  };
});

export type Group = { key: any[]; count: number; figures: any[] };
const SELECTION =
  'nodes { key { field value from to } count figures { figure field value } } totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';

export async function createGroups() {
  const tables = await createTables();
  const id = await tables.table({ fields: FIELDS, records: RECORDS });

  async function ask(args: string, at: string | null = null) {
    const cursor = args.includes('last:') ? 'before' : 'after';
    const query = `query ($at: String) { table(id: "${id}") { aggregate(${cursor}: $at${args && `, ${args}`}) { ${SELECTION} } } }`;
    const { status, body } = await tables.world.graph(query, { at });
    expect([args, status]).toEqual([args, /^first: (101|-1)$/.test(args) ? 400 : 200]); // page sizes are checked before execution
    return body.errors ? { error: body.errors[0] } : body.data.table.aggregate;
  }
  const groupsOf = async (args: string): Promise<Group[]> => {
    const found = await ask(args);
    if (found.error) throw new Error(`${args}: ${JSON.stringify(found.error)}`);
    return found.nodes;
  };
  /** Rows of a statement over the table, as lists of texts. */
  const rowsOf = async (text: string): Promise<unknown[][]> => {
    const store = tables.world.app.callAs(tables.world.system).stores.datastore!;
    const [row] = await store.write((sql) =>
      sql.rows<{ rows: unknown[][] }>({
        text: `SELECT coalesce(json_agg(l), '[]') AS rows FROM (SELECT to_json(ARRAY(SELECT value FROM json_each_text(row_to_json(q)))) AS l FROM (${text.replaceAll('TABLE', `"${id}"`)}) q) z`,
      }),
    );
    return row!.rows;
  };

  return { tables, id, ask, groupsOf, rowsOf };
}

/** Keys, number of records and figures, as lists of texts. */
export const listed = (groups: Group[]) =>
  groups.map(({ key, count, figures }) => [
    ...key.map(({ value }) => value),
    String(count),
    ...figures.map(({ value }) => value),
  ]);
