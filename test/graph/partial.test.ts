/** Partial results of a query with ten root fields: two fail for the caller, the other eight return data. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createTables } from '../helpers/tables.ts';
import type { World } from '../helpers/world.ts';

/** Root fields that every caller may read. */
const OPEN = {
  site: 'site { title }',
  datasets: 'datasets(first: 3) { totalCount nodes { name } }',
  organizations: 'organizations(first: 3) { nodes { name } }',
  groups: 'groups(first: 3) { nodes { name } }',
  search: 'search(query: "shown", first: 3) { totalCount nodes { name } }',
  changes: 'changes(first: 3) { nodes { cursor } }',
  tags: 'tags(first: 3) { totalCount }',
  one: 'one: dataset(id: "shown") { name }',
};
const FORMATS = ['application/json', 'application/graphql-response+json'];
/** A query bypasses Apollo Server from its second run and is compiled at its third. */
const RUNS = 4;

let world: World;
let member: TestUser;
let admin: TestUser;
let table: string;
beforeAll(async () => {
  const tables = await createTables();
  ({ world, member } = tables);
  admin = await world.make.sysadmin();
  await world.make.dataset({ name: 'shown', ownerOrganization: tables.organization.id });
  await world.make.dataset({ name: 'hidden', private: true, ownerOrganization: tables.organization.id });
  table = await tables.table({ records: [{ city: 'Bern', people: 3 }] });
});
afterAll(() => world.end());

const callers = [
  ['a visitor', () => null, { viewerDashboard: 'NOT_AUTHORIZED', secret: 'NOT_AUTHORIZED' }],
  ['a member', () => member, { settings: 'NOT_AUTHORIZED', jobs: 'NOT_AUTHORIZED' }],
  ['a system administrator', () => admin, { missing: 'NOT_FOUND', wrong: 'VALIDATION' }],
] as const;
const REFUSED: Readonly<Record<string, string>> = {
  viewerDashboard: 'viewerDashboard { newActivityCount }',
  secret: 'secret: dataset(id: "hidden") { name }',
  settings: 'settings { name }',
  jobs: 'jobs(first: 3) { totalCount }',
  missing: 'missing: table(id: "none") { fields { id } }',
  wrong:
    'wrong: timeline(of: EDITS, interval: DAY, from: "2026-01-02T00:00:00Z", to: "2026-01-01T00:00:00Z") { total }',
};

describe('ten root fields, of which two fail', () => {
  it.each(callers)('return the other eight to %s', async (_name, as, refused) => {
    const widgets = Object.entries(OPEN);
    const two = Object.keys(refused).map((name) => [name, REFUSED[name]!] as [string, string]);
    // The failing fields come between the others, so that fields after them are checked too.
    const query = `{ ${[...widgets.slice(0, 3), two[0]!, ...widgets.slice(3, 6), two[1]!, ...widgets.slice(6)].map(([, text]) => text).join('\n')} }`;
    for (const accept of FORMATS)
      for (let run = 0; run < RUNS; run += 1) {
        const { status, body } = await world.graph(query, {}, { as: as(), headers: { accept } });
        expect(status).toBe(200);
        const { data, errors } = body;
        expect(Object.keys(data)).toHaveLength(10);
        const empty = Object.keys(data).filter((name) => data[name] === null);
        expect(empty.sort()).toEqual(Object.keys(refused).sort());
        expect(data).toMatchObject({
          one: { name: 'shown' },
          search: { totalCount: 1 },
          datasets: { nodes: expect.arrayContaining([{ name: 'shown' }]) },
        });
        const told = errors.map(({ path, extensions }: any) => [path, extensions.code]);
        expect(told.sort()).toEqual(
          Object.entries(refused)
            .map(([name, code]) => [[name], code])
            .sort(),
        );
      }
  });

  it('return partial results over an event stream too', async () => {
    const query = `{ ${OPEN.site} ${REFUSED.settings} }`;
    const { text } = await world.graph(query, {}, { headers: { accept: 'text/event-stream' } });
    const [, event] = /data: (.*)\n/.exec(text)!;
    expect(JSON.parse(event!)).toMatchObject({
      data: { site: { title: expect.any(String) }, settings: null },
      errors: [{ path: ['settings'], extensions: { code: 'NOT_AUTHORIZED' } }],
    });
  });
});

describe('nested fields', () => {
  const parts = (aggregate: string) =>
    `{ table(id: "${table}") { size { count } records(first: 1) { nodes } ${aggregate} } }`;

  it('return the records beside a refused aggregate', async () => {
    for (let run = 0; run < RUNS; run += 1) {
      const { status, body } = await world.graph(
        parts('aggregate(figures: [{ figure: SUM, field: "city" }]) { nodes { count } }'),
      );
      expect(status).toBe(200);
      expect(body.data.table).toEqual({
        size: { count: 1 },
        records: { nodes: [{ _id: 1, city: 'Bern', people: 3 }] },
        aggregate: null,
      });
      expect(body.errors).toEqual([
        expect.objectContaining({
          path: ['table', 'aggregate'],
          extensions: expect.objectContaining({ code: 'VALIDATION' }),
        }),
      ]);
    }
  });

  it('return the aggregate beside refused records', async () => {
    const query = `{ table(id: "${table}") { records(orderBy: [{ field: "none" }]) { nodes } aggregate(figures: [{ figure: SUM, field: "people" }]) { nodes { figures { field value } } } } }`;
    const { body } = await world.graph(query);
    expect(body.data.table).toEqual({
      records: null,
      aggregate: { nodes: [{ figures: [{ field: 'people', value: '3' }] }] },
    });
    expect(body.errors).toEqual([expect.objectContaining({ path: ['table', 'records'] })]);
  });
});

describe('an operation whose fields all fail', () => {
  it.each(FORMATS)('returns status 200, null and an error for each field as %s', async (accept) => {
    const query = '{ settings { name } jobs(first: 3) { totalCount } }';
    const { status, body } = await world.graph(query, {}, { headers: { accept } });
    expect(status).toBe(200);
    expect(body.data).toEqual({ settings: null, jobs: null });
    expect(body.errors.map(({ path }: any) => path)).toEqual([['settings'], ['jobs']]);
  });
});
