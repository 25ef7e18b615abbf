/** The mixed requests of a soak. Datasets and files that it adds are removed again, so that the catalog keeps its size. */
import { dataset, formDataset, groups, organizations, randomOf } from '../corpus.mjs';

/** Share of each kind in the requests. */
const WEIGHTS = { read: 30, search: 20, graph: 12, page: 12, feed: 8, table: 6, write: 8, upload: 4 };
/** Datasets, files and tables that the soak adds before it removes the oldest. */
const KEPT = 20;
const ROWS = 50;
const TITLES =
  'query ($text: String) { datasets(search: $text, first: 10) { totalCount nodes { name title resources { format } } } }';
const COUNTS = '{ datasets(first: 0) { totalCount facets { organizations { count } } } }';

/** Loads the catalog. Returns `send(kind)`, which sends one request and returns its kind and status, and `kinds`. */
export async function prepareRequests({ base, key, datasets, say }) {
  const random = randomOf('soak');
  const http = async (path, { method = 'GET', body, json } = {}) => {
    const headers = { authorization: key, ...(json && { 'content-type': 'application/json' }) };
    const response = await fetch(base + path, { method, headers, body: json ? JSON.stringify(json) : body });
    return { status: response.status, text: await response.text() };
  };
  const act = (name, json) => http(`/api/3/action/${name}`, { method: 'POST', json });
  const must = async (name, json) => {
    const { status, text } = await act(name, json);
    if (status !== 200) throw new Error(`${name}: ${status} ${text.slice(0, 500)}`);
    return JSON.parse(text).result;
  };
  say(`Loading ${datasets} datasets …`);
  for (const one of organizations) await must('organization_create', one);
  for (const one of groups) await must('group_create', one);
  const all = Array.from({ length: datasets }, (_, i) => dataset(i));
  for (let at = 0; at < all.length; at += 4)
    await Promise.all(all.slice(at, at + 4).map((one) => must('package_create', one)));
  const { resource_id: table } = await must('datastore_create', {
    resource: { package_id: all[0].id, name: 'soak' },
    fields: [{ id: 'n', type: 'int' }, { id: 'place' }],
    primary_key: ['n'],
    records: Array.from({ length: ROWS }, (_, n) => ({ n, place: `place ${n}` })),
  });

  const names = all.filter((one) => !one.private).map(({ name }) => name);
  const name = () => random.pick(names);
  const word = () => random.pick(['water', 'air', 'roads', 'schools', 'energy', 'maps', 'budget', 'noise']);
  const added = { datasets: [], files: [] };
  let number = 0;
  let cursor = '';
  const graph = (query, variables) => http('/graphql', { method: 'POST', json: { query, variables } });
  const pick = (...ways) => random.pick(ways)();
  const kinds = {
    read: () =>
      pick(
        () => http(`/api/3/action/package_show?id=${name()}`),
        () => act('package_show', { id: name() }),
      ),
    search: () => http(`/api/3/action/package_search?q=${word()}&rows=10&facet.field=["tags","organization"]`),
    graph: () =>
      pick(
        () => graph(TITLES, { text: word() }),
        () => graph(COUNTS),
      ),
    page: () =>
      pick(
        () => http(`/dataset/${name()}`),
        () => http(`/dataset?q=${word()}`),
        () => http(`/dataset/${name()}.ttl`),
      ),
    feed: () =>
      pick(
        () => http('/feeds/dataset.atom'),
        changes,
        () => http(`/feeds/custom.atom?q=${word()}`),
      ),
    table: () =>
      pick(
        () => act('datastore_search', { resource_id: table, limit: 20, q: 'place' }),
        () =>
          act('datastore_upsert', {
            resource_id: table,
            records: [{ n: random.int(0, ROWS), place: `place ${number}` }],
          }),
      ),
    write: () => pick(() => act('package_patch', { id: name(), version: String((number += 1)) }), renew),
    upload,
  };
  return {
    kinds: Object.keys(kinds),
    send: (kind) => kinds[kind](),
    next: turns(random),
    streams: () => follow(base, key),
  };

  async function changes() {
    const found = await http(`/changes?limit=100${cursor && `&after=${cursor}`}`);
    if (found.status === 200) cursor = JSON.parse(found.text.trimEnd().split('\n').at(-1)).next;
    return found;
  }

  /** Adds a dataset, or purges the oldest added one. */
  async function renew() {
    if (added.datasets.length >= KEPT) return act('dataset_purge', { id: added.datasets.shift() });
    const made = await act('package_create', formDataset(`soak-${(number += 1)}`));
    if (made.status === 200) added.datasets.push(JSON.parse(made.text).result.id);
    return made;
  }

  /** Uploads a file, which becomes a table, or deletes the oldest uploaded one. */
  async function upload() {
    if (added.files.length >= KEPT) return act('resource_delete', { id: added.files.shift() });
    const form = new FormData();
    const rows = Array.from({ length: 200 }, (_, n) => `${n},${word()},${n * 1.5}`);
    form.set('package_id', all[random.int(0, 100)].id);
    form.set('name', `upload ${(number += 1)}`);
    form.set('upload', new Blob([`n,topic,value\n${rows.join('\n')}\n`]), 'soak.csv');
    const made = await http('/api/3/action/resource_create', { method: 'POST', body: form });
    if (made.status === 200) added.files.push(JSON.parse(made.text).result.id);
    return made;
  }
}

/** The next kind, by weight. */
function turns(random) {
  const all = Object.entries(WEIGHTS).flatMap(([kind, weight]) => Array.from({ length: weight }, () => kind));
  return () => random.pick(all);
}

/** An event stream of changes that stays open, and counts its bytes. */
async function follow(base, key) {
  const control = new AbortController();
  const response = await fetch(`${base}/changes`, {
    headers: { accept: 'text/event-stream', authorization: key },
    signal: control.signal,
  });
  const stream = { bytes: 0, isOpen: true, close: () => control.abort() };
  (async () => {
    for await (const chunk of response.body) stream.bytes += chunk.length;
  })()
    .catch(() => {})
    .finally(() => (stream.isOpen = false));
  return stream;
}
