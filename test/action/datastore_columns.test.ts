/** Cached columns of tables: every change is visible to the next search. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTables, type Tables } from '../helpers/tables.ts';
import { until } from '../helpers/until.ts';
import type { World } from '../helpers/world.ts';

let world: World;
let table: Tables['table'];
let change: Tables['change'];
let search: Tables['search'];
let store: Tables['store'];

beforeAll(async () => {
  ({ world, table, change, search, store } = await createTables({}, { counts: true }));
});
afterAll(() => world.end());

const COLUMNS = /pg_attribute/;
const read = async (work: () => Promise<unknown>): Promise<number> =>
  (await world.statementsOf(work)).filter((text) => COLUMNS.test(text)).length;
const made = () => table({ fields: [{ id: 'a', type: 'int' }], records: [{ a: 1 }, { a: 2 }] });
const fieldsOf = async (resource_id: string): Promise<object[]> => (await search({ resource_id })).fields;
const ID = { id: '_id', type: 'int4' };

describe('cached columns', () => {
  it('are read once for all kinds of searches', async () => {
    const id = await made();
    await search({ resource_id: id });
    // A busy machine may take longer than the columns stay cached.
    const forms = [{}, { filters: { a: 1 } }, { q: 'x' }, { include_total: false }, { limit: 0 }, { fields: 'a' }];
    const all = () => Promise.all(forms.map((form) => search({ resource_id: id, ...form })));
    await until(async () => (await read(all)) === 0);
  });

  it('are checked again after writes of rows, without repeating the search', async () => {
    const id = await made();
    await search({ resource_id: id });
    await change('datastore_upsert', { resource_id: id, method: 'insert', records: [{ a: 3 }] });
    const sent = await world.statementsOf(async () => expect((await search({ resource_id: id })).total).toBe(3));
    expect(sent.filter((text) => COLUMNS.test(text))).toHaveLength(1);
    expect(sent.filter((text) => text.includes('datastore_search '))).toHaveLength(1);
  });

  it('include new fields and labels, also without written rows', async () => {
    const id = await made();
    expect(await fieldsOf(id)).toEqual([ID, { id: 'a', type: 'int4' }]);
    expect((await world.action('datastore_search', { resource_id: id, filters: { b: 1 } })).body.success).toBe(false);
    await change('datastore_create', {
      resource_id: id,
      fields: [
        { id: 'a', type: 'int' },
        { id: 'b', type: 'text' },
      ],
    });
    expect(await search({ resource_id: id, filters: { b: 'x' } })).toMatchObject({ records: [], total: 0 });
    expect(await fieldsOf(id)).toEqual([ID, { id: 'a', type: 'int4' }, { id: 'b', type: 'text' }]);
    const info = { label: 'Letter' };
    await change('datastore_create', {
      resource_id: id,
      fields: [
        { id: 'a', type: 'int', info },
        { id: 'b', type: 'text' },
      ],
    });
    expect(await fieldsOf(id)).toEqual([ID, { id: 'a', type: 'int4', info }, { id: 'b', type: 'text' }]);
  });

  it('change with a table that is dropped and recreated with other types', async () => {
    const id = await made();
    expect((await search({ resource_id: id, filters: { a: 2 } })).total).toBe(1);
    await change('datastore_delete', { resource_id: id });
    expect((await world.action('datastore_search', { resource_id: id })).body.error.__type).toBe('Not Found Error');
    await change('datastore_create', { resource_id: id, fields: [{ id: 'a', type: 'text' }], records: [{ a: '7' }] });
    expect(await search({ resource_id: id, filters: { a: '7' } })).toMatchObject({
      fields: [ID, { id: 'a', type: 'text' }],
      records: [{ _id: 1, a: '7' }],
      total: 1,
    });
  });

  it('are correct for every reader while fields are added', async () => {
    const id = await made();
    const names = Array.from({ length: 12 }, (_, n) => `f${n}`);
    let known = 1;
    let isOver = false;
    const reader = async () => {
      while (!isOver) {
        const before = known;
        const { fields, records } = await search({ resource_id: id });
        expect(fields.length - 1).toBeGreaterThanOrEqual(before);
        for (const record of records)
          expect(Object.keys(record)).toEqual(fields.map((field: { id: string }) => field.id));
      }
    };
    const readers = Promise.all([reader(), reader(), reader()]).finally(() => (isOver = true));
    readers.catch(() => {});
    for (const [place] of names.entries()) {
      const added = names.slice(0, place + 1).map((id) => ({ id, type: 'text' }));
      await change('datastore_create', { resource_id: id, fields: [{ id: 'a', type: 'int' }, ...added] });
      known = place + 2;
    }
    isOver = true;
    await readers;
    expect(await fieldsOf(id)).toHaveLength(14);
  });

  it('include changes by another program within seconds, and a dropped column is named in the error', async () => {
    const id = await made();
    await fieldsOf(id);
    await store.write((sql) => sql.rows({ text: `ALTER TABLE "${id}" ADD COLUMN other int` }));
    await until(async () => (await fieldsOf(id)).length === 3);
    await store.write((sql) => sql.rows({ text: `ALTER TABLE "${id}" DROP COLUMN other` }));
    expect(await fieldsOf(id)).toHaveLength(2);
    const { body } = await world.action('datastore_search', { resource_id: id, filters: { other: 1 } });
    expect(JSON.stringify(body.error)).toContain('other');
  });
});
