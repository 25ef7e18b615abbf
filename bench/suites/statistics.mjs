/** Statistics of a large catalog for three kinds of callers, and what they add to a write. */
import { formDataset, organizations } from '../corpus.mjs';
import { KEY, post, removeWritten } from '../data.mjs';

/** Default number of datasets. */
export const size = 100_000;

/** API key of a member of the largest organizations. Valid in benchmark catalogs only. */
export const MEMBER_KEY = 'benchmark-key-of-a-member';
const WRITES = 300;
/** Six statistics in one operation: the goal is that of each. */
const SIX = 'groups by all six';
const DIMENSIONS = ['ORGANIZATION', 'GROUP', 'LICENSE', 'FORMAT', 'TAG', 'TYPE'];
const ITEMS = 'totalCount otherCount items { name displayName datasets resources bytes tables }';

export const query = (text, key) => ({
  method: 'POST',
  path: '/graphql',
  headers: { 'content-type': 'application/json', ...(key && { authorization: key }) },
  body: JSON.stringify({ query: text }),
});
const timeline = (args) => `{ timeline(${args}) { starts counts total seriesCount series { key counts total } } }`;
const days = (count) => `from: "${new Date(Date.now() - (count - 1) * 86_400_000).toISOString()}"`;

const READS = {
  totals: '{ statistics { datasets privateDatasets resources bytes tables users edits states { state datasets } } }',
  ...Object.fromEntries(
    DIMENSIONS.map((by) => [
      `groups by ${by.toLowerCase()}`,
      `{ statistics { groups(by: ${by}, first: 10) { ${ITEMS} } } }`,
    ]),
  ),
  [SIX]: `{ statistics { ${DIMENSIONS.map((by) => `${by}: groups(by: ${by}, first: 10) { ${ITEMS} }`).join(' ')} } }`,
  'timeline, 30 days': timeline('of: CREATED, interval: DAY'),
  'timeline, 400 days': timeline(`of: EDITS, interval: DAY, ${days(400)}`),
  'timeline, 60 weeks': timeline(`of: EDITS, interval: WEEK, ${days(420)}`),
  'timeline, 30 months by user': timeline('of: EDITS, interval: MONTH, by: USER'),
  'timeline, 30 days by organization': timeline('of: EDITS, interval: DAY, by: ORGANIZATION'),
  'timeline, 100 days by organization': timeline(`of: EDITS, interval: DAY, by: ORGANIZATION, ${days(100)}`),
  'timeline, 400 days by organization': timeline(`of: EDITS, interval: DAY, by: ORGANIZATION, ${days(400)}`),
  'organizations by datasets':
    '{ organizations(first: 20, orderBy: { field: DATASET_COUNT }) { totalCount nodes { name title } } }',
  'facet of tags, 20 by value':
    '{ search { facets(fields: ["tags"]) { values(first: 20, orderBy: VALUE) { totalCount nodes { name count } } } } }',
  'facet of organizations, 20 by count':
    '{ search { facets(fields: ["organization"]) { values(first: 20) { totalCount nodes { displayName count } } } } }',
  'date histogram, 20 months':
    '{ search { dateHistogram(of: MODIFIED, interval: MONTH, first: 20) { totalCount nodes { from to count } } } }',
};
const GOAL = { text: '≤ 5 ms of CPU', met: ({ nodeMs, pgMs }) => nodeMs !== null && nodeMs + pgMs <= 5 };

/** The measurements. */
export async function measurements({ data, ask }) {
  await writeLog(data, ask);
  const reads = Object.entries(READS).flatMap(([name, text]) =>
    [
      ['visitor', null],
      ['member', MEMBER_KEY],
      ['sysadmin', KEY],
    ].map(([caller, key]) => ({
      name: `${name}, ${caller}`,
      expect: `{"data":{"${/^\{ (\w+)/.exec(text)[1]}":{`,
      requests: () => [query(text, key)],
      ...(name !== SIX && { goal: GOAL }),
    })),
  );
  return [...reads, ...writes(data)].map((row) => ({ server: 'catalog', connections: 1, ...row }));
}

/** The same writes with and without the triggers that queue objects; the background work of the first is included. */
function writes(data) {
  const run = Date.now().toString(36);
  const row = (name, triggers) => ({
    name,
    expect: '"success":true',
    once: true,
    requests: async (round) => {
      await data.client.query(`ALTER TABLE dataset_document ${triggers} TRIGGER note_statistics`);
      return Array.from({ length: WRITES }, (_, i) =>
        post('package_create', formDataset(`bench-${run}-${triggers.toLowerCase()}-${round}-${i}`)),
      );
    },
    after: async () => {
      await data.client.query('ALTER TABLE dataset_document ENABLE TRIGGER note_statistics');
      await removeWritten(data);
    },
  });
  return [
    { ...row('package_create', 'ENABLE'), to: 'package_create, not queued' },
    row('package_create, not queued', 'DISABLE'),
  ];
}

/** Writes the member and a log of the copied datasets, over 1,000 days, then waits until all is counted. */
export async function writeLog({ client, secretBox }, ask) {
  await client.query(
    `INSERT INTO user_account (id, name, api_key_hash, api_key_sealed) VALUES ('bench-member', 'bench-member', $1, $2) ON CONFLICT DO NOTHING`,
    [secretBox.hash(MEMBER_KEY), secretBox.seal(MEMBER_KEY)],
  );
  await client.query(
    `INSERT INTO membership (id, group_id, user_id, capacity, revision_id)
     SELECT gen_random_uuid()::text, id, 'bench-member', 'editor', '' FROM unnest($1::text[]) id ON CONFLICT DO NOTHING`,
    [organizations.slice(0, 3).map(({ id }) => id)],
  );
  await client.query(
    `INSERT INTO change (revision_id, created_at, actor_id, object_type, object_id, action, is_public)
     SELECT r.id, now() - (d.number % 1000) * interval '1 day', CASE WHEN d.number % 3 = 0 THEN 'bench-member' END, 'dataset', d.id,
       CASE WHEN d.number % 2 = 0 THEN 'updated' ELSE 'created' END, NOT d.private
     FROM (SELECT *, row_number() OVER (ORDER BY id) AS number FROM dataset WHERE name ~ '-copy-[0-9]+$') d,
       (SELECT id FROM revision LIMIT 1) r
     WHERE NOT EXISTS (SELECT FROM change WHERE object_id IN (SELECT id FROM dataset WHERE name ~ '-copy-[0-9]+$' LIMIT 1))`,
  );
  const isCounted = async () => {
    const { data } = await ask(query('{ statistics { datasets } }'));
    return data?.statistics != null;
  };
  while (!(await isCounted()));
  await client.query('VACUUM (ANALYZE)');
}
