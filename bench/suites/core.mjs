/** Common requests of the catalog, with issue 3's goals. */
import { dataset, formDataset, formResource, randomOf } from '../corpus.mjs';
import { post, removeWritten } from '../data.mjs';
import { ofFloor } from '../measure.mjs';

const OK = '"success":true';
/** Maximum nodes of one connection. */
const MAX = 100;
/** Different names requested in one measurement. */
const NAMES = 1_000;
/** Datasets that receive patches and new resources, per round. */
const SPARE = 120;

const action = (name, params = {}) => ({
  path: `/api/3/action/${name}?${new URLSearchParams(params)}`.replace(/\?$/, ''),
});
const query = (text, variables) => ({
  method: 'POST',
  path: '/graphql',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: text, variables }),
});

/**
 * The measurements. `ask` sends one request to the catalog and returns the parsed body. `queries` are in the words of the measured state: older
 * ones call `name` `id`.
 */
export async function measurements({ datasets, data, ask, write, queries: { FULL_DATASET, PAGE } }) {
  const random = randomOf('names');
  const isPublic = Array.from({ length: datasets }, (_, i) => dataset(i)).filter((one) => !one.private);
  const names = Array.from({ length: NAMES }, () => random.pick(isPublic).name);
  const shows = names.map((id) => action('package_show', { id }));
  const full = names.map((name) => query(FULL_DATASET, { name, id: name }));
  const deep = await deepCursor(ask, Math.floor(isPublic.length * 0.9));
  const always = (list) => () => list;

  const reads = [1, 32].flatMap((connections) => [
    { name: `floor c${connections}`, server: 'floor', connections, expect: OK, requests: always(shows) },
    {
      name: `package_show c${connections}`,
      connections,
      expect: OK,
      requests: always(shows),
      to: `floor c${connections}`,
      goal: ofFloor(0.6),
    },
    {
      name: `dataset { … } c${connections}`,
      connections,
      expect: '{"data":{"dataset":{',
      requests: always(full),
      to: `floor c${connections}`,
      goal: ofFloor(0.12),
    },
  ]);
  const lists = [
    { name: 'status_show', requests: [action('status_show')] },
    {
      name: 'package_list',
      requests: [action('package_list')],
      goal: { text: '≤ 2 ms of CPU', met: (row) => row.nodeMs !== null && row.nodeMs + row.pgMs <= 2 },
    },
    { name: 'organization_list', requests: [action('organization_list')] },
    { name: 'current_package_list…, 20', requests: [action('current_package_list_with_resources', { limit: '20' })] },
    { name: 'datasets(first: 20)', expect: '{"data":{"datasets":{', requests: [query(PAGE, {})] },
    {
      name: 'datasets(first: 50)',
      expect: '{"data":{"datasets":{',
      requests: [query(PAGE.replace('first: 20', 'first: 50'), {})],
    },
    { name: '/changes, 100', expect: '{"', requests: [{ path: '/changes?limit=100' }] },
    {
      name: 'datasets(first: 20), page 450',
      expect: '{"data":{"datasets":{',
      requests: [query(PAGE, { after: deep })],
    },
  ].map((row) => ({ connections: 1, expect: OK, ...row, requests: always(row.requests) }));
  return [...reads, ...lists, ...writes(data, write)].map((row) => ({ server: 'catalog', ...row }));
}

function writes(data, write) {
  const run = Date.now().toString(36);
  const named = (round, count) => Array.from({ length: count }, (_, i) => `bench-${run}-${round}-${i}`);
  const spare = async (round) => {
    const created = named(`spare-${round}`, SPARE);
    await write(created.map((name) => post('package_create', formDataset(name))));
    return created;
  };
  const after = () => removeWritten(data);
  const row = { connections: 1, expect: OK, once: true, after };
  return [
    {
      ...row,
      name: 'package_create',
      requests: (round) => named(round, 2_000).map((name) => post('package_create', formDataset(name))),
      goal: { text: '≥ 60 a second', met: ({ perSecond }) => perSecond >= 60 },
    },
    {
      ...row,
      name: 'package_patch',
      requests: async (round) =>
        (await spare(`patch-${round}`)).map((id, i) => post('package_patch', { id, notes: `Changed ${i}.` })),
    },
    {
      ...row,
      name: 'resource_create',
      requests: async (round) =>
        (await spare(`resource-${round}`)).map((id) =>
          post('resource_create', { package_id: id, ...formResource(id) }),
        ),
    },
  ];
}

/** Cursor of the item after `depth` others. */
async function deepCursor(ask, depth) {
  let after;
  for (let left = depth; left > 0; left -= MAX) {
    const body = await ask(
      query(
        'query ($first: Int, $after: String) { datasets(first: $first, after: $after) { pageInfo { endCursor } } }',
        {
          first: Math.min(left, MAX),
          after,
        },
      ),
    );
    after = body.data?.datasets.pageInfo.endCursor;
  }
  return after;
}
