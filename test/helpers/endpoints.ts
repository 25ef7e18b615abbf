/** One request to each endpoint of a catalog, for tests with an unavailable database, DataStore or store. */
import { once } from 'node:events';
import WebSocket from 'ws';

export interface Endpoint {
  readonly name: string;
  readonly path: string;
  readonly init?: RequestInit;
  /** Pattern of the body while the database is down. */
  readonly says: RegExp;
  /** Whether it needs the DataStore too. */
  readonly isTable?: boolean;
}

export interface Scenery {
  readonly key: string;
  /** Names and ids of the objects that `makeScenery` made. */
  readonly dataset: string;
  readonly resource: string;
  readonly upload: string;
}

type Call = (action: string, params: object) => Promise<any>;

/** A dataset with a table and a resource with a file. */
export async function makeScenery(base: string, key: string, call: Call): Promise<Scenery> {
  const dataset = 'rivers';
  await call('package_create', { name: dataset });
  const made = await call('datastore_create', {
    resource: { package_id: dataset, name: 'levels' },
    records: [{ station: 'Mill', level: 9 }],
  });
  const form = new FormData();
  form.set('package_id', dataset);
  form.set('name', 'file');
  form.set('url', 'file.bin');
  form.set('upload', new Blob(['not a table']), 'file.bin');
  const sent = await fetch(`${base}/api/3/action/resource_create`, {
    method: 'POST',
    body: form,
    headers: { authorization: key },
  });
  const { result } = (await sent.json()) as { result: { id: string } };
  return { key, dataset, resource: made.resource_id, upload: result.id };
}

const ENVELOPE = /"__type":"Service Unavailable"/;
const GRAPH = /"code":"UNAVAILABLE"/;
const LEGACY = /"Service unavailable - /;
const PAGE = /<h1>Not available<\/h1>/;
const PLAIN = /unavailable/;

/** Every kind of endpoint that needs the database. */
export function endpointsOf({ key, dataset, resource, upload }: Scenery): Endpoint[] {
  const authorization = { authorization: key };
  const json = { 'content-type': 'application/json', ...authorization };
  const post = (body: object, headers: Record<string, string> = json): RequestInit => ({
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const form = new FormData();
  form.set('package_id', dataset);
  form.set('upload', new Blob(['x']), 'x.bin');
  const action = '/api/3/action';
  const graph = (query: string, headers: Record<string, string> = {}) => post({ query }, { ...json, ...headers });
  return [
    { name: 'action, no key', path: `${action}/package_show?id=${dataset}`, says: ENVELOPE },
    {
      name: 'action, key',
      path: `${action}/package_show?id=${dataset}`,
      init: { headers: authorization },
      says: ENVELOPE,
    },
    { name: 'action, search', path: `${action}/package_search?q=water`, says: ENVELOPE },
    { name: 'action, write', path: `${action}/package_patch`, init: post({ id: dataset, title: 'x' }), says: ENVELOPE },
    {
      name: 'action, upload',
      path: `${action}/resource_create`,
      init: { method: 'POST', headers: authorization, body: form },
      says: ENVELOPE,
    },
    { name: 'action, JSONP', path: `${action}/package_list?callback=back`, says: ENVELOPE },
    { name: 'action, cached', path: `${action}/current_package_list_with_resources?limit=1`, says: ENVELOPE },
    { name: 'action, status_show', path: `${action}/package_list`, says: ENVELOPE },
    {
      name: 'action, table',
      path: `${action}/datastore_search?resource_id=${resource}`,
      says: ENVELOPE,
      isTable: true,
    },
    {
      name: 'action, SQL',
      path: `${action}/datastore_search_sql?sql=${encodeURIComponent(`SELECT * FROM "${resource}"`)}`,
      says: ENVELOPE,
      isTable: true,
    },
    {
      name: 'action, table write',
      path: `${action}/datastore_upsert`,
      init: post({ resource_id: resource, method: 'insert', force: true, records: [{ station: 'Weir', level: 1 }] }),
      says: ENVELOPE,
      isTable: true,
    },
    { name: 'legacy 1', path: `/api/1/rest/dataset/${dataset}`, says: LEGACY },
    { name: 'legacy 2, key', path: `/api/2/rest/dataset/${dataset}`, init: { headers: authorization }, says: LEGACY },
    { name: 'legacy search', path: '/api/search/dataset?q=water', says: LEGACY },
    { name: 'legacy util', path: '/api/2/util/tag/autocomplete?incomplete=w', says: LEGACY },
    {
      name: 'legacy write',
      path: `/api/2/rest/dataset/${dataset}`,
      init: { ...post({ title: 'y' }), method: 'PUT' },
      says: LEGACY,
    },
    { name: 'RDF dataset', path: `/dataset/${dataset}.ttl`, says: PLAIN },
    { name: 'RDF catalog', path: '/catalog.jsonld', says: PLAIN },
    { name: 'croissant', path: `/dataset/${dataset}/croissant`, says: PLAIN, isTable: true },
    { name: 'graph', path: '/graphql', init: graph('{ datasets(first: 1) { totalCount } }'), says: GRAPH },
    {
      name: 'graph, newer type',
      path: '/graphql',
      init: graph('{ datasets(first: 1) { totalCount } }', { accept: 'application/graphql-response+json' }),
      says: GRAPH,
    },
    {
      name: 'graph, no key',
      path: '/graphql',
      init: post({ query: '{ datasets(first: 1) { totalCount } }' }, { 'content-type': 'application/json' }),
      says: GRAPH,
    },
    {
      name: 'graph, GET',
      path: `/graphql?query=${encodeURIComponent('{ datasets(first: 1) { totalCount } }')}`,
      init: { headers: { 'content-type': 'application/json' } },
      says: GRAPH,
    },
    {
      name: 'graph, mutation',
      path: '/graphql',
      init: graph(
        'mutation { createDataset(input: { name: "other", idempotencyKey: "one" }) { dataset { id } errors { code } } }',
      ),
      says: GRAPH,
    },
    {
      name: 'graph, SSE',
      path: '/graphql',
      init: graph('subscription { changes { cursor } }', { accept: 'text/event-stream' }),
      says: GRAPH,
    },
    { name: 'feed', path: '/changes', says: GRAPH },
    { name: 'feed, key', path: '/changes', init: { headers: authorization }, says: GRAPH },
    {
      name: 'feed, SSE',
      path: '/changes',
      init: { headers: { accept: 'text/event-stream', ...authorization } },
      says: GRAPH,
    },
    {
      name: 'import',
      path: '/import',
      init: {
        method: 'POST',
        headers: { 'content-type': 'application/x-ndjson', ...authorization },
        body: '{"name":"more"}\n',
      },
      says: GRAPH,
    },
    { name: 'dump', path: `/datastore/dump/${resource}`, says: PLAIN, isTable: true },
    { name: 'dump, HEAD', path: `/datastore/dump/${resource}`, init: { method: 'HEAD' }, says: /^$/, isTable: true },
    { name: 'download', path: `/dataset/${dataset}/resource/${upload}/download/file.bin`, says: PAGE },
    {
      name: 'download, key',
      path: `/dataset/${dataset}/resource/${upload}/download/file.bin`,
      init: { headers: authorization },
      says: PAGE,
    },
    { name: 'image', path: '/uploads/group/0123456789abcdef.png', says: PAGE },
    { name: 'upload', path: `/upload/cgt_${'x'.repeat(43)}`, init: { method: 'PUT', body: 'x' }, says: GRAPH },
    { name: 'home', path: '/', init: { headers: { accept: 'text/html' } }, says: PAGE },
    { name: 'page of a dataset', path: `/dataset/${dataset}`, init: { headers: { accept: 'text/html' } }, says: PAGE },
    { name: 'page of a user', path: '/user/admin', init: { headers: { accept: 'text/html' } }, says: PAGE },
    {
      name: 'no such page',
      path: '/nothing',
      init: { headers: { accept: 'text/html', ...authorization } },
      says: PAGE,
    },
  ];
}

export interface Answer {
  readonly name: string;
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
  /** ms until the response was complete. */
  readonly time: number;
}

/** Sends the request of one endpoint. Streams are cut after their headers. Without a response the status is 0. */
export async function ask(base: string, { name, path, init }: Endpoint, patience = 120_000): Promise<Answer> {
  const began = performance.now();
  const cut = new AbortController();
  const late = setTimeout(() => cut.abort(new Error('no answer in time')), patience);
  try {
    const response = await fetch(base + path, { ...init, redirect: 'manual', signal: cut.signal });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    const text = isStream ? '' : await response.text();
    return {
      name,
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      text,
      time: performance.now() - began,
    };
  } catch (failure) {
    const { message, cause } = failure as Error;
    return { name, status: 0, retryAfter: null, text: `${message} ${cause}`, time: performance.now() - began };
  } finally {
    clearTimeout(late);
    cut.abort();
  }
}

/** Result of a query over WebSocket: the type of the answer with its payload, or the close code of the connection. */
export async function askSocket(base: string, key?: string): Promise<string> {
  const socket = new WebSocket(`${base.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  await once(socket, 'open');
  const said = new Promise<string>((resolve) => {
    socket.on('close', (code, reason) => resolve(`closed ${code} ${reason}`));
    socket.on('message', (data) => {
      const { type, payload } = JSON.parse(String(data));
      if (type === 'connection_ack')
        socket.send(
          JSON.stringify({ type: 'subscribe', id: '1', payload: { query: '{ datasets(first: 1) { totalCount } }' } }),
        );
      if (type === 'next' || type === 'error') resolve(`${type} ${JSON.stringify(payload)}`);
    });
  });
  socket.send(JSON.stringify({ type: 'connection_init', ...(key && { payload: { authorization: key } }) }));
  const found = await said;
  socket.terminate();
  return found;
}
