/** Limits on the number of values in a request body, counted before it is parsed. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

const VALUES = 1_000;
const RECORDS = 5_000;
let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld({
    'catalog.limits.json_values': VALUES,
    'catalog.limits.json_records': RECORDS,
    'catalog.action_api.status': 'http',
  });
  await world.datastore();
  admin = await world.make.sysadmin();
});
afterAll(() => world.end());

/** A JSON body with the given number of values, each under its own key. */
const bodyOf = (values: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: values }, (_, n) => [`key${n}`, n])));
const refused = (most: number, name: string) =>
  `The request body contains more than ${most} values (catalog.limits.${name})`;
const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  world.request(path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });

describe('an action', () => {
  it.each(['status_show', 'package_create', 'datastore_upsert'])('%s enforces the limit', async (name) => {
    expect((await post(`/api/3/action/${name}`, bodyOf(VALUES))).text).not.toContain('json_values');
    const { status, body } = await post(`/api/3/action/${name}`, bodyOf(VALUES + 1));
    expect([status, body]).toEqual([400, `Bad request - ${refused(VALUES, 'json_values')}`]);
  });

  it('counts the values of form-encoded bodies too', async () => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const body of [bodyOf(VALUES + 1), encodeURIComponent(bodyOf(VALUES + 1))])
      expect((await post('/api/3/action/status_show', body, type)).text).toContain('json_values');
    expect(
      (await post('/api/3/action/status_show', encodeURI(`{"a":"${','.repeat(VALUES * 2)}"}`), type)).body.success,
    ).toBe(true);
  });

  it('does not count commas and brackets inside strings', async () => {
    const notes = ', ["a": 1]'.repeat(VALUES);
    const { notes: kept } = await world.result('package_create', { name: 'texts', notes }, { as: admin });
    expect(kept).toBe(notes);
  });

  it('limits comma-separated lists, and JSON inside a string', async () => {
    const refusedBy = async (params: object) =>
      (await post('/api/3/action/package_search', JSON.stringify(params))).body.error?.message;
    expect(await refusedBy({ 'facet.field': 'a,'.repeat(100_001) })).toBe(
      'The input has more than 100000 values (items and keys). Send fewer values at a time',
    );
    expect(await refusedBy({ 'facet.field': `[${'1,'.repeat(100_001)}1]` })).toBe(
      'The input has more than 100000 values (items and keys). Send fewer values at a time',
    );
  });
});

describe('records', () => {
  const records = (values: number) => Array.from({ length: values / 2 }, (_, n) => ({ a: n }));

  it('may contain more values, for signed-in users', async () => {
    const dataset = await world.make.dataset({ resources: [{ url: 'http://example.com' }] });
    const params = { resource_id: dataset.body.resources[0]!.id, force: true };
    const made = await world.action('datastore_create', { ...params, records: records(RECORDS - 10) }, { as: admin });
    expect(made.body.success).toBe(true);
    const { total } = await world.result('datastore_search', { resource_id: params.resource_id });
    expect(total).toBe(RECORDS / 2 - 5);
    for (const [as, words] of [
      [admin, refused(RECORDS, 'json_records')],
      [null, refused(VALUES, 'json_values')],
    ] as const) {
      const { status, text } = await world.action('datastore_create', { ...params, records: records(RECORDS) }, { as });
      expect([status, text]).toEqual([400, expect.stringContaining(words)]);
    }
  });
});

describe('/graphql', () => {
  const query = (values: number) =>
    JSON.stringify({ query: '{ site { title } }', variables: JSON.parse(bodyOf(values)) });

  it('accepts more values from users than from anonymous callers', async () => {
    const asUser = { authorization: admin.key };
    expect((await post('/graphql', query(VALUES - 2))).status).toBe(200);
    expect((await post('/graphql', query(RECORDS - 2), asUser)).status).toBe(200);
    for (const [headers, most, name] of [
      [{}, VALUES, 'json_values'],
      [asUser, RECORDS, 'json_records'],
    ] as const) {
      const { status, body } = await post('/graphql', query(most), headers);
      expect([status, body.errors[0].message]).toEqual([413, refused(most, name)]);
      expect(body.errors[0].extensions.code).toBe('LIMIT');
    }
  });
});

describe('the legacy interfaces', () => {
  it('apply the same limit as actions', async () => {
    const { status, body } = await post('/api/rest/dataset', bodyOf(VALUES + 1), { authorization: admin.key });
    expect([status, body]).toEqual([400, `Bad request - ${refused(VALUES, 'json_values')}`]);
  });

  it('refuse a form with more than 1,000 fields', async () => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const { status, body } = await post('/api/1/search/dataset', `q=a${'&q=a'.repeat(1_000)}`, type);
    expect([status, body]).toEqual([400, 'Bad request - The form has more than 1000 fields']);
  });
});
