/** The catalog's typed graph beside PostGraphile 5, on one database in one run, with issue 8's goals. */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { installNpm } from '../../scripts/npm.mjs';
import { dataset, randomOf } from '../corpus.mjs';
import { startPostgraphile } from '../servers.mjs';
import { OURS, PEER } from './postgraphile.queries.mjs';

/** Different names requested in one measurement. */
const NAMES = 1_000;
/** Number of them compared value by value before the measurements. */
const COMPARED = 100;
const POSTGRAPHILE = { postgraphile: '5.1.5' };
/** PostGraphile 5 needs Node 22. On an older one, the bench installs it from npm. */
const [MAJOR, NODE] = [22, '22.23.3'];

/** Servers in use: the code of both is compiled after some thousand requests. */
export const defaults = { warmUp: 5 };

/** Reference of the ratios. */
export const comparedWith = 'of PostGraphile';

/**
 * Starts PostGraphile beside the usual processes. It uses the table's own indexes, so the bench creates the one for its list, as its users
 * would; the catalog has its own.
 */
export async function servers({ url, settings, client }) {
  const isOld = Number(process.versions.node.split('.')[0]) < MAJOR;
  const itsNode = `node-${process.platform}-${process.arch}`;
  const folder = await installNpm({ ...POSTGRAPHILE, ...(isOld && { [itsNode]: NODE }) });
  const execPath = isOld ? join(folder, 'node_modules', itsNode, 'bin/node') : process.execPath;
  await client.query(
    `CREATE INDEX IF NOT EXISTS bench_dataset_modified ON dataset (modified_at DESC, id) WHERE state = 'active' AND NOT private`,
  );
  await client.query('ANALYZE dataset');
  const peer = await startPostgraphile({ url, connections: settings['catalog.database_pool'], folder, execPath });
  const stop = async () => {
    await peer.stop();
    await client.query('DROP INDEX bench_dataset_modified');
  };
  return { peer: { ...peer, stop } };
}

const query = (text, variables = {}) => ({
  method: 'POST',
  path: '/graphql',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: text, variables }),
});

export async function measurements({ datasets, ask, askPeer }) {
  const random = randomOf('peers');
  const isPublic = Array.from({ length: datasets }, (_, i) => dataset(i)).filter((one) => !one.private);
  const names = Array.from({ length: NAMES }, () => random.pick(isPublic).name);
  const asked = {
    dataset: (texts) => names.map((name) => query(texts.dataset, { name })),
    list: (texts) => [query(texts.list)],
  };
  for (const requests of Object.values(asked)) {
    const [ours, peers] = [requests(OURS), requests(PEER)];
    for (let i = 0; i < Math.min(COMPARED, ours.length); i += 1) mustAgree(await ask(ours[i]), await askPeer(peers[i]));
  }
  return [1, 32].flatMap((connections) => [
    ...pair({ name: 'full dataset', times: 3, connections, requests: asked.dataset, expect: '{"data":{"dataset":{' }),
    ...pair({ name: 'list of 50', times: 2, connections, requests: asked.list, expect: '{"data":{"datasets":{' }),
  ]);
}

function pair({ name, times, connections, requests, expect }) {
  const to = `PostGraphile, ${name} c${connections}`;
  const goal = { text: `≥ ${times} × PostGraphile`, met: ({ ratio }) => ratio !== null && ratio >= times };
  const [ours, peers] = [requests(OURS), requests(PEER)];
  return [
    { name: to, server: 'peer', connections, expect, requests: () => peers },
    { name: `${name} c${connections}`, server: 'catalog', connections, expect, requests: () => ours, to, goal },
  ];
}

/** @throws when two responses differ in their values, ignoring the order of tags and groups */
function mustAgree(ours, peers) {
  const [a, b] = [plain(ours.data), plain(peers.data)];
  if (ours.errors || peers.errors || !a || !isDeepStrictEqual(a, b))
    throw new Error(
      `the answers differ\nours: ${JSON.stringify(ours).slice(0, 6_000)}\nPostGraphile: ${JSON.stringify(peers).slice(0, 6_000)}`,
    );
}

/** A response without connections and join rows, with instants and numbers normalized, and tags and groups sorted by id. */
function plain(value, key) {
  if (Array.isArray(value)) {
    const items = value.map((item) => plain(item));
    return key === 'tags' || key === 'groups' ? items.sort((a, b) => (a.databaseId < b.databaseId ? -1 : 1)) : items;
  }
  if (typeof value !== 'object' || value === null) {
    if (key === 'size' && value !== null) return Number(value);
    if (key === 'state') return value.toLowerCase(); // an enum of the catalog
    return /At$/.test(key) ? new Date(value).getTime() : value;
  }
  if (value.nodes) return plain(value.nodes, key);
  if (value.one) return plain(value.one);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner, name)]));
}
