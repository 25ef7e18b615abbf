/** Dashboards of a large catalog for three kinds of callers, with issue 18's goal: CPU of all processes for a whole page. */
import { setTimeout as sleep } from 'node:timers/promises';
import { organizations } from '../corpus.mjs';
import { KEY, post } from '../data.mjs';
import { MEMBER_KEY, query, writeLog } from './statistics.mjs';

/** Default number of datasets. */
export const size = 100_000;
/** A server in use: its code is compiled after some hundred pages. */
export const defaults = { warmUp: 5 };

const MAX_HTML = 60_000;
const OK = '<!doctype html>';
const GOAL = {
  text: '≤ 60 ms of CPU, ≤ 60 kB',
  met: ({ nodeMs, pgMs, bytes }) => nodeMs !== null && nodeMs + pgMs <= 60 && bytes <= MAX_HTML,
};
const CALLERS = [
  ['visitor', null],
  ['member', MEMBER_KEY],
  ['sysadmin', KEY],
];

const page = (path, key) => ({ path, headers: { accept: 'text/html', ...(key && { authorization: key }) } });

/** The measurements. */
export async function measurements({ data, ask }) {
  await writeLog(data, ask);
  await prepareUses(data);
  await untilScored(data);
  const days = Array.from({ length: 60 }, (_, i) => new Date(Date.now() - (i + 400) * 86_400_000).toISOString());
  const since = days.map((day) => `/dashboards/catalog?from=${day.slice(0, 10)}`);
  const rows = [
    ...CALLERS.flatMap(([caller, key]) => [
      { name: `catalog, ${caller}`, requests: [page('/dashboards/catalog', key)] },
      {
        name: `catalog of an organization, ${caller}`,
        requests: organizations.map(({ name }) => page(`/dashboards/catalog?organization=${name}`, key)),
      },
      { name: `catalog from a day on, ${caller}`, requests: since.map((path) => page(path, key)) },
      { name: `quality, ${caller}`, requests: [page('/dashboards/quality', key)] },
      { name: `usage, ${caller}`, requests: [page('/dashboards/usage', key)] },
    ]),
    { name: 'operations, sysadmin', requests: [page('/dashboards/operations', KEY)] },
    {
      name: 'quality of an organization, visitor',
      requests: organizations.map(({ name }) => page(`/dashboards/quality?organization=${name}`)),
    },
    {
      name: 'usage of an organization, visitor',
      requests: organizations.map(({ name }) => page(`/dashboards/usage?organization=${name}`)),
    },
    { name: 'growth as SVG, visitor', requests: [page('/dashboards/catalog/growth.svg')], expect: '<?xml' },
    { name: 'growth as CSV, visitor', requests: [page('/dashboards/catalog/growth.csv')], expect: 'period,' },
    ...(await afterWrites(data)),
    ...['VIEWS_RECENT', 'VIEWS_TOTAL'].map((order) => ({
      name: `datasets(orderBy: ${order})`,
      requests: [query(`{ datasets(orderBy: { field: ${order} }, first: 20) { nodes { name title } } }`)],
      expect: '{"data":{"datasets":{',
    })),
  ];
  return rows.map(({ requests, ...row }) => ({
    server: 'catalog',
    connections: 1,
    expect: OK,
    ...(row.expect === undefined && { goal: GOAL }),
    ...row,
    requests: () => requests,
  }));
}

/** A write, and the page after each write: the difference is what the page costs then. Half of the requests are writes. */
async function afterWrites({ client }) {
  const { rows } = await client.query("SELECT id FROM dataset WHERE name ~ '-copy-[0-9]+$' ORDER BY id LIMIT 50");
  const write = ({ id }, n) => post('package_patch', { id, version: String(n) });
  return [
    { name: 'package_patch', requests: rows.map(write), expect: '"success":true' },
    ...CALLERS.map(([caller, key]) => ({
      name: `package_patch, then catalog, ${caller}`,
      requests: rows.flatMap((row, n) => [write(row, n), page('/dashboards/catalog', key)]),
      expect: null,
    })),
  ];
}

/** Writes uses of the last days, unless there are some. */
async function prepareUses({ client }) {
  const { rows } = await client.query('SELECT EXISTS (SELECT FROM usage_day) AS any');
  if (rows[0].any) return;
  await client.query(
    `INSERT INTO usage_day (dataset_id, resource_id, kind, day, count)
     SELECT id, '', kind, current_date - (number * kind % 28)::int, 1 + number % 40
     FROM (SELECT id, row_number() OVER (ORDER BY id) AS number FROM dataset) d, generate_series(1, 2) kind WHERE number % 4 > 0`,
  );
  await client.query(
    `INSERT INTO usage_total AS o (dataset_id, resource_id, kind, total, recent, before, indexed)
     SELECT dataset_id, '', kind, sum(count), coalesce(sum(count) FILTER (WHERE day > current_date - 14), 0),
       coalesce(sum(count) FILTER (WHERE day <= current_date - 14), 0), true FROM usage_day GROUP BY 1, 3
     ON CONFLICT (dataset_id, resource_id, kind) DO UPDATE SET total = EXCLUDED.total, recent = EXCLUDED.recent, before = EXCLUDED.before`,
  );
  await client.query(
    `INSERT INTO usage_scope (scope, organization_id, kind, day, count)
     SELECT s.scope, o.id, k.kind, current_date - n, n + k.kind FROM (VALUES ('public'), ('all')) s(scope),
       (SELECT id FROM group_account WHERE is_organization UNION ALL SELECT '') o, generate_series(1, 5) k(kind), generate_series(0, 900) n`,
  );
  await client.query('VACUUM (ANALYZE)');
}

/** The server scores all datasets after the first start. */
async function untilScored({ client }) {
  for (;;) {
    const { rows } = await client.query('SELECT EXISTS (SELECT FROM quality_pending) AS any');
    if (!rows[0].any) return;
    await sleep(2_000);
  }
}
