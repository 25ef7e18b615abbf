/**
 * Long lists beside an ideal plan: a bare HTTP server that has the bytes of each answer. Suites with an ideal plan in PostgreSQL send its
 * statement to the floor by POST, as suites/datastore.mjs does.
 */
import { organizations } from '../corpus.mjs';

const OK = '"success":true';
const GOAL = { text: '≥ 0.50 of the floor', met: ({ ratio }) => ratio !== null && ratio >= 0.5 };
/** Organizations in the row of many, as many as a process keeps. */
const MANY = 20;

const show = (id, action = 'organization_show') => `/api/3/action/${action}?id=${id}&include_datasets=true`;

export async function measurements({ data }) {
  const medium = await organizationOf(data, 207);
  const rows = {
    package_list: ['/api/3/action/package_list'],
    [`organization_show, ${medium.count} datasets`]: [show(medium.id)],
    [`organization_show of ${MANY}`]: organizations.slice(-MANY).map(({ id }) => show(id)),
    'current_package_list…, 100': ['/api/3/action/current_package_list_with_resources?limit=100'],
  };
  return Object.entries(rows).flatMap(([name, paths]) => {
    const requests = paths.map((path) => ({ path }));
    const row = { connections: 1, expect: OK };
    return [
      { ...row, name: `kept bytes: ${name}`, server: 'floor', requests: () => requests },
      { ...row, name, server: 'catalog', requests: () => requests, to: `kept bytes: ${name}`, goal: GOAL },
    ];
  });
}

/** Copies the catalog's answers to the floor. */
export async function prepare({ catalog, floor }, measurements) {
  for (const { requests, server } of measurements) {
    if (server !== 'floor') continue;
    for (const { path } of requests(0)) {
      const answer = await fetch(`http://127.0.0.1:${catalog.port}${path}`);
      await fetch(`http://127.0.0.1:${floor.port}${path}`, { method: 'PUT', body: await answer.arrayBuffer() });
    }
  }
}

/** The organization whose number of public datasets is closest to `count`. */
async function organizationOf({ client }, count) {
  const { rows } = await client.query(
    `SELECT owner_organization_id AS id, count(*)::int AS count FROM dataset_document WHERE state = 'active' AND NOT private
      AND owner_organization_id IS NOT NULL GROUP BY 1 ORDER BY abs(count(*) - $1), 1 LIMIT 1`,
    [count],
  );
  return rows[0];
}
