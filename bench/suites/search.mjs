/** Common search requests, with issue 5's goals for 10,000 datasets, or for 100,000 in a larger catalog. */
import { dataset } from '../corpus.mjs';

const OK = '"success":true';
/** Uncached searches per round. */
const FIRST_TIMES = 3_000;
/** Words used in one measurement. */
const WORDS = 200;
const FACETS = ['organization', 'tags', 'res_format'];
/** The page that is compared with the first. */
const DEEP = 1_000;
const PAGE = 5;
/** Maximum datasets per page. */
const MAX = 1_000;

const action = (params) => ({ path: `/api/3/action/package_search?${new URLSearchParams(params)}` });
const facets = { 'facet.field': JSON.stringify(FACETS), rows: '20' };
const CONNECTION = `query BenchSearch($query: String, $first: Int, $after: String) {
  search(query: $query, first: $first, after: $after) { pageInfo { hasNextPage endCursor } nodes { id name title modifiedAt } }
}`;
const query = (variables) => ({
  method: 'POST',
  path: '/graphql',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: CONNECTION, variables }),
});

/** CPU of all processes per request, in ms. */
const cpu = (most) => ({
  text: `≤ ${most} ms of CPU`,
  met: ({ nodeMs, pgMs }) => nodeMs !== null && nodeMs + pgMs <= most,
});

/** The measurements. `ask` sends one request to the catalog and returns the parsed body. */
export async function measurements({ datasets, ask }) {
  const goals =
    datasets < 100_000 ? { selective: 2, unfiltered: 2, widest: 15 } : { selective: 20, unfiltered: 5, widest: 100 };
  const { selective, widest } = wordsOf(datasets);
  const perPage = Math.max(1, Math.min(PAGE, Math.floor(datasets / (DEEP + 2))));
  const deep = await deepCursor(ask, widest, perPage * (DEEP - 1));
  const always = (requests) => () => requests;
  return [
    { name: 'floor: 20 rows, nothing else', server: 'floor', requests: [{ path: '/?rows=20' }] },
    {
      name: 'a word in 0.5 to 2 %, 3 facets, 20 rows',
      requests: selective.map((q) => action({ q, ...facets })),
      goal: cpu(goals.selective),
    },
    {
      name: 'the same, each asked for the first time',
      requests: (round) => firstTimes(selective, round),
      goal: cpu(goals.selective),
    },
    {
      name: 'a word in about 80 %, 3 facets, 20 rows',
      requests: [action({ q: widest, ...facets })],
      goal: cpu(goals.widest),
    },
    { name: 'unfiltered, 3 facets, 20 rows', requests: [action(facets)], goal: cpu(goals.unfiltered) },
    {
      name: 'a word and a filter, 3 facets, 20 rows',
      requests: selective.map((q) => action({ q, fq: 'res_format:CSV', ...facets })),
    },
    { name: 'without facets, by name, 20 rows', requests: [action({ sort: 'name asc', rows: '20' })] },
    { name: 'unfiltered, rows=1000', requests: [action({ rows: '1000' })] },
    { name: 'search(…), page 1', expect: '{"data":{"search":{', requests: [query({ query: widest, first: perPage })] },
    {
      name: `search(…), page ${DEEP}`,
      expect: '{"data":{"search":{',
      requests: [query({ query: widest, first: perPage, after: deep })],
      to: 'search(…), page 1',
      goal: { text: '≤ 1.3 × page 1', met: ({ ratio }) => ratio !== null && ratio >= 1 / 1.3 },
    },
  ].map(({ requests, ...row }) => ({
    server: 'catalog',
    connections: 1,
    expect: OK,
    ...row,
    requests: typeof requests === 'function' ? requests : always(requests),
  }));
}

/** More requests than fit into a round, all different: each weighs words slightly differently (by `tie`), so no cached result applies. */
const firstTimes = (words, round) =>
  Array.from({ length: Math.ceil(FIRST_TIMES / words.length) }, (_, turn) =>
    words.map((q) => action({ q, tie: String((100_000 + round * 100 + turn) / 1_000_000), ...facets })),
  ).flat();

/** Words of titles and notes that few datasets have, and the one nearest to 80 % of them; counted over the first 2,000. */
function wordsOf(datasets) {
  const sample = Math.min(datasets, 2_000);
  const counts = new Map();
  for (let i = 0; i < sample; i += 1) {
    const { title, notes, private: hidden } = dataset(i);
    if (hidden) continue;
    for (const word of new Set(`${title} ${notes}`.toLowerCase().match(/[a-z]{4,}/g)))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const selective = [...counts]
    .filter(([, count]) => count >= sample * 0.005 && count <= sample * 0.02)
    .map(([word]) => word);
  const [widest] = [...counts].sort(([, a], [, b]) => Math.abs(a - sample * 0.8) - Math.abs(b - sample * 0.8))[0];
  return { selective: selective.slice(0, WORDS), widest };
}

/** Cursor of the dataset after `depth` others. */
async function deepCursor(ask, word, depth) {
  let after;
  for (let left = depth; left > 0; left -= MAX) {
    const body = await ask(query({ query: word, first: Math.min(left, MAX), after }));
    after = body.data?.search.pageInfo.endCursor;
  }
  return after;
}
