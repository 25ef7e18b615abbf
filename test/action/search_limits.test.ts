/** Limits on the cost of a search. A refusal names the limit and is never an internal error. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
  await world.make.dataset({ name: 'rivers', title: 'Rivers', notes: '東京都の川 and some words' });
});
afterAll(() => world.end());

const refusal = async (params: Record<string, unknown>) => (await world.action('package_search', params)).body.error;

it('refuses a query above the cost limit and names the parameter', async () => {
  const words = Array.from({ length: 500 }, (_, index) => `w${index}`).join(' ');
  const qf = Array.from({ length: 30 }, (_, index) => `extras_f${index}`).join(' ');
  for (const params of [{ q: words, qf }, { q: '東'.repeat(16_000) }, { q: `notes:"${'東'.repeat(16_000)}"` }])
    expect(await refusal(params)).toMatchObject({
      __type: 'Search Error',
      message: expect.stringMatching(/^Search error: q: .*2000/),
    });
});

it.each([
  ['words', { q: 'rivers '.repeat(300), mm: '1' }, 1],
  ['a run of characters', { q: '川'.repeat(300) }, 0],
  ['a phrase of many words', { q: `notes:"${'and some words '.repeat(100)}"` }, 0],
  ['a phrase of many characters', { q: `text:"${'東京'.repeat(450)}"` }, 0],
  ['ids', { fq: `name:(${'x '.repeat(498)}rivers)`, defType: 'lucene' }, 0],
  ['ids, any of them', { fq: `name:(${'x OR '.repeat(498)}rivers)` }, 1],
  ['a phrase with much slop', { q: 'text:"and some words"~15' }, 1],
])('accepts a query just below the cost limit: %s', async (_name, params, count) => {
  expect((await world.result('package_search', params)).count).toBe(count);
});

it.each([
  ['too many terms', { query: Array.from({ length: 51 }, () => 'name:a') }, 'At most 50 terms (got 51)'],
  ['a term without a field', { query: 'rivers' }, 'Must be <field>:<value> pair(s)'],
])('resource_search names its parameter for %s', async (_name, params, fault) => {
  const { body } = await world.action('resource_search', params);
  expect(body.error).toEqual({ __type: 'Validation Error', message: `query: ${fault}`, query: [fault] });
});

it('cancels a search after search.timeout, and answers the next one', async () => {
  const hasty = await createWorld({ 'search.timeout': 3 });
  await hasty.make.dataset({ name: 'rivers', title: 'Rivers' });
  const count = async () => (await hasty.result('package_search', { q: 'rivers' })).count;
  expect(await count()).toBe(1);
  const holder = new pg.Client({ connectionString: hasty.database.url });
  await holder.connect();
  try {
    await holder.query('BEGIN; LOCK TABLE dataset_search');
    const [byWords, byGraph] = await Promise.all([
      hasty.action('package_search', { q: 'rivers' }),
      hasty.graph('{ search(query: "rivers") { nodes { name } } }'),
    ]);
    expect(byWords.body.error).toMatchObject({
      __type: 'Validation Error',
      message: expect.stringContaining('search.timeout'),
    });
    expect(byGraph.body.errors[0].extensions.code).toBe('LIMIT');
    await holder.query('ROLLBACK');
    expect(await count()).toBe(1);
  } finally {
    await holder.end();
    await hasty.end();
  }
});

it('refuses patterns that together match too many words', async () => {
  const letters = (index: number) => String(index).replace(/\d/g, (digit) => 'bcdfghjklm'[Number(digit)]!);
  const notes = Array.from({ length: 700 }, (_, index) => `q${letters(index)}x r${letters(index)}z`).join(' ');
  await world.make.dataset({ notes });
  for (const q of ['text:q*x', 'text:r*z']) expect((await world.result('package_search', { q })).count).toBe(1);
  expect(await refusal({ q: 'text:(q*x OR r*z)' })).toMatchObject({ message: expect.stringContaining('1000 words') });
});

it('refuses more than twenty facets of extras', async () => {
  const extras = (count: number) => Array.from({ length: count }, (_, index) => `extra-${index}`);
  expect(await refusal({ 'facet.field': extras(21) })).toMatchObject({ __type: 'Search Error' });
  expect((await world.result('package_search', { 'facet.field': extras(20) })).count).toBeGreaterThan(0);
});

it('waits for Solr no longer than search.timeout', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const other = await createWorld({
    'search.timeout': 1,
    'catalog.search.solr_url': [`http://127.0.0.1:${port}/solr/x`],
  });
  try {
    const { body } = await other.action('package_search', { q: 'rivers' });
    expect(body.error.message).toContain('search.timeout');
  } finally {
    silent.closeAllConnections();
    silent.close();
    await other.end();
  }
});
