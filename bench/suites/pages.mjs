/** Pages for visitors, with issue 17's goals: CPU per page, bytes of HTML, and bytes of scripts. */
import { dataset } from '../corpus.mjs';
import { KEY } from '../data.mjs';
import { makeTable, RESOURCE, ROWS, TABLE } from './datastore.mjs';

/** A server in use: its code is compiled after some hundred pages. */
export const defaults = { warmUp: 5 };

/** Maximum bytes of HTML before compression, and of scripts after it. */
const MAX_HTML = 60_000;
const MAX_SCRIPTS = 80_000;
const SAMPLE = 300;
const OK = '<!doctype html>';

/** CPU of all processes per page in ms, and the size of the page. */
const within = (most) => ({
  text: `≤ ${most} ms of CPU, ≤ 60 kB`,
  met: ({ nodeMs, pgMs, bytes }) => nodeMs !== null && nodeMs + pgMs <= most && bytes <= MAX_HTML,
});

const page = (path, key) => ({ path, headers: { accept: 'text/html', ...(key && { authorization: key }) } });

/** The measurements. `ask` sends one request to the catalog and returns the parsed body. */
export async function measurements({ datasets, data, ask }) {
  await makeTable(data, ask);
  const found = Array.from({ length: Math.min(SAMPLE, datasets) }, (_, i) => dataset(i)).filter((it) => !it.private);
  const words = [...new Set(found.map(({ title }) => title.split(' ')[0].toLowerCase()))];
  const table = `/dataset/${TABLE}/resource/${RESOURCE}`;
  return [
    { name: 'home', requests: [page('/')] },
    { name: 'search, all datasets', requests: [page('/dataset')], goal: within(6) },
    { name: 'search, a word', requests: words.map((q) => page(`/dataset?q=${q}`)), goal: within(6) },
    {
      name: 'search, a word and a filter, page 2',
      requests: words.map((q) => page(`/dataset?q=${q}&res_format=CSV&page=2`)),
      goal: within(6),
    },
    { name: 'dataset', requests: found.map(({ name }) => page(`/dataset/${name}`)), goal: within(2) },
    { name: 'table of 3 million rows, first rows', requests: [page(table)], goal: within(6) },
    {
      name: 'table of 3 million rows, the middle',
      requests: await deepPages(ask, table),
      goal: within(6),
    },
    {
      name: 'table of 3 million rows, the middle, in the order of an indexed column',
      requests: await deepPages(ask, table, 'station'),
      goal: within(6),
    },
    { name: 'organizations', requests: [page('/organization')] },
    // Pages of people who are signed in are rendered for each request: no cache of rendered pages.
    { name: 'signed in: search, all datasets', requests: [page('/dataset', KEY)] },
    { name: 'signed in: search, a word', requests: words.map((q) => page(`/dataset?q=${q}`, KEY)) },
    { name: 'signed in: dataset', requests: found.map(({ name }) => page(`/dataset/${name}`, KEY)) },
    { name: 'signed in: table of 3 million rows, the middle', requests: await deepPages(ask, table).then(signedIn) },
  ].map(({ requests, ...row }) => ({
    server: 'catalog',
    connections: 1,
    expect: OK,
    ...row,
    requests: () => requests,
  }));
}

const signedIn = (pages) => pages.map(({ path }) => page(path, KEY));

/** The pages of the table after some of its records, in the order of `sort`. */
async function deepPages(ask, table, sort) {
  const query =
    'query ($id: String, $n: JSON, $orderBy: [TableOrderInput!]) { table(databaseId: $id) { records(first: 1, filter: [{ field: "n", eq: $n }], orderBy: $orderBy) { pageInfo { endCursor } } } }';
  const orderBy = sort ? [{ field: sort }] : [];
  const cursors = [];
  for (let n = ROWS / 2 + (sort ? 5_000 : 0); n < ROWS; n += ROWS / 20) {
    const body = await ask({
      method: 'POST',
      path: '/graphql',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { id: RESOURCE, n, orderBy } }),
    });
    cursors.push(body.data.table.records.pageInfo.endCursor);
  }
  return cursors.map((cursor) => page(`${table}?${sort ? `sort=${sort}&` : ''}after=${encodeURIComponent(cursor)}`));
}

/** Bytes of the scripts that each page loads, compressed as they are sent. */
export async function trials({ servers, say }) {
  const base = `http://127.0.0.1:${servers.catalog.port}`;
  const rows = [];
  for (const path of ['/', '/dataset', `/dataset/${dataset(1).name}`, `/dataset/${TABLE}/resource/${RESOURCE}`]) {
    const html = await (await fetch(base + path, { headers: { accept: 'text/html' } })).text();
    let bytes = 0;
    for (const [, src] of html.matchAll(/<script[^>]* src="([^"]+)"/g)) {
      const answer = await fetch(new URL(src, base), { headers: { 'accept-encoding': 'gzip' } });
      bytes += Number(answer.headers.get('content-length'));
    }
    say(`scripts of ${path}: ${bytes} bytes${bytes <= MAX_SCRIPTS ? '' : ' MISSED'}`);
    rows.push({ name: path, bytes });
  }
  return rows;
}
