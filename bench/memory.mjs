/**
 * `npm run bench -- memory`: memory of a server whose caches are full. Sends more different requests than each cache holds, each as often
 * as the cache asks for, and reads the memory after a forced collection.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { groups, organizations } from './corpus.mjs';
import { openData, post } from './data.mjs';
import { startServer } from './soak/server.mjs';

const DATASETS = 100_000;
const CONNECTIONS = 4;
/** A web process needs at most this, as docs/size.md says. */
const MAX_RESIDENT = 750;

const range = (count, of) => Array.from({ length: count }, (_, at) => of(at));
const action = (name, params) => ({ path: `/api/3/action/${name}?${new URLSearchParams(params)}` });
const graph = (query) => ({
  path: '/graphql',
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query }),
});

const TABLE = 'bec50000-0000-4000-8000-000000000009';
const TABLE_PAGE = { resource_id: TABLE, limit: 1 };
/** Tables with so many columns that the columns of all do not fit into their cache. */
const WIDE = range(12, (at) => `bec50000-0000-4000-8000-0000000001${String(at).padStart(2, '0')}`);
const COLUMNS = 1_000;
const ROWS_OF = `SELECT n FROM "${TABLE}" WHERE`;

/** Rows of about 100 kB, the longest that are stored: two bytes of memory are planned for each character. */
const LONG_ROWS = `SELECT s.x AS n FROM generate_series(1, 10000) AS s(x) WHERE EXISTS (SELECT FROM "${TABLE}") IS NOT NULL OFFSET`;

/** An operation whose text is long, with its hash. */
function persisted(at) {
  const query = `{ site { title } } # ${at} ${'-'.repeat(6_000)}`;
  const sha256Hash = createHash('sha256').update(query).digest('hex');
  const { body, ...request } = graph(query);
  return { ...request, body: JSON.stringify({ query, extensions: { persistedQuery: { version: 1, sha256Hash } } }) };
}

/** Requests per kind of cache, and how often each is sent. */
function phases({ names, words }) {
  const fields = ['', 'title:', 'notes:', 'tags:', '-'];
  const find = (q, more) => action('package_search', { q, rows: 0, 'facet.field': '["tags"]', ...more });
  const listed = (name, of) => of.map(({ id }) => action(name, { id, include_datasets: true }));
  return [
    ['datasets', 2, names.slice(0, 8_000).map((id) => action('package_show', { id }))],
    ['datasets in the graph', 2, names.slice(0, 8_000).map((name) => graph(`{ dataset(name: "${name}") { title } }`))],
    ['documents of searches', 3, range(250, (at) => action('package_search', { rows: 100, start: at * 100 }))],
    ['lists of words', 3, fields.flatMap((field) => words.map((word) => find(`${field}${word}`)))],
    ['filtered words', 2, words.map((word) => find(word, { fq: 'res_format:CSV' }))],
    ['pages', 2, names.slice(0, 6_000).map((name) => ({ path: `/dataset/${name}` }))],
    ['lists of datasets', 6, [...listed('organization_show', organizations), ...listed('group_show', groups)]],
    ['names', 2, ['package_list', 'organization_list', 'group_list', 'tag_list'].map((name) => action(name, {}))],
    ['activity streams', 6, names.slice(0, 4_000).map((id) => action('package_activity_list', { id }))],
    ['columns of tables', 1, WIDE.map((resource_id) => action('datastore_search', { resource_id, limit: 1 }))],
    ['totals of tables', 1, range(21_000, (n) => action('datastore_search', { ...TABLE_PAGE, filters: `{"n":${n}}` }))],
    ['statements of tables', 1, range(1_200, (n) => action('datastore_search_sql', { sql: `${ROWS_OF} n = ${n}` }))],
    ['results of tables', 2, range(200, (n) => action('datastore_search_sql', { sql: `${LONG_ROWS} ${n}` }))],
    ['persisted operations', 1, range(900, persisted)],
    ['queries', 4, range(8_000, (at) => graph(`{ a${at}: dataset(name: "none") { name title notes state } }`))],
  ];
}

/** Prints a row per kind of cache. Returns whether the server stays within its limit. */
export async function memory({ datasets = DATASETS, say }) {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-memory-'));
  const data = await openData({ datasets, fresh: false, say });
  try {
    const server = await startServer(folder, data.config);
    try {
      await makeTables(server);
      return await fill(server, await subjects(data), say);
    } finally {
      await server.stop();
    }
  } finally {
    await data.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The tables of the phases of the DataStore; reused by the next run. */
async function makeTables({ base }) {
  const write = async (name, params) => {
    const { path, ...request } = post(name, params);
    return (await fetch(base + path, request)).json();
  };
  const wide = range(COLUMNS, (at) => ({ id: `column ${at}`, type: 'int' }));
  for (const [name, ids, fields] of [
    ['memory-table', [TABLE], [{ id: 'n', type: 'int' }]],
    ['memory-wide', WIDE, wide],
  ]) {
    const resources = ids.map((id) => ({ id, url: 'http://example.org/memory.csv' }));
    const created = await write('package_create', { name, owner_org: organizations[0].name, resources });
    if (!created.success && !created.error.name) throw new Error(JSON.stringify(created.error));
    for (const id of ids) {
      const made = await write('datastore_create', { resource_id: id, force: true, fields });
      if (!made.success) throw new Error(JSON.stringify(made.error));
    }
  }
}

/** Names of public datasets, and words of many and of few titles. */
async function subjects({ client }) {
  const { rows } = await client.query(
    `SELECT name, title FROM dataset WHERE state = 'active' AND NOT private ORDER BY name LIMIT 20000`,
  );
  const words = rows.flatMap(({ title }) => title.toLowerCase().match(/[a-z]{4,}/g) ?? []);
  return { names: rows.map(({ name }) => name), words: [...new Set(words)].slice(0, 1_500) };
}

async function fill(server, subjects, say) {
  say('| after | requests | live MiB | resident MiB |\n| --- | ---: | ---: | ---: |');
  let last = await server.sample();
  const report = (name, requests) =>
    say(`| ${name} | ${requests} | ${last.live.toFixed(0)} | ${last.resident.toFixed(0)} |`);
  report('the start', 0);
  for (const [name, times, requests] of phases(subjects)) {
    for (let n = 0; n < times; n += 1) await sendAll(server.base, requests);
    last = await server.sample();
    report(name, times * requests.length);
  }
  const isWithin = last.resident <= MAX_RESIDENT;
  say(`resident: ${last.resident.toFixed(0)} MiB, ${isWithin ? 'within' : 'MISSED:'} ${MAX_RESIDENT}`);
  return isWithin;
}

async function sendAll(base, requests) {
  const waiting = requests.values();
  await Promise.all(
    range(CONNECTIONS, async () => {
      for (const { path, ...request } of waiting) {
        const response = await fetch(base + path, request);
        const text = await response.text();
        if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`);
      }
    }),
  );
}
