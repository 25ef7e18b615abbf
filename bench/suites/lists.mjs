/**
 * Long lists beside an ideal plan: a bare HTTP server that has the bytes of each answer. A second row of it asks PostgreSQL for its state
 * once per request, as a server must that shows the writes of other processes. Suites with an ideal plan in PostgreSQL send its
 * statement to the floor by POST, as suites/datastore.mjs does.
 */
import { organizations } from '../corpus.mjs';
import { ofFloor } from '../measure.mjs';

const OK = '"success":true';
/** Requests that arrive together share one question whether a list is current. */
const CONNECTIONS = [1, 4, 32];
/** Organizations in the row of many, as many as a process keeps. */
const MANY = 20;

const show = (id, action = 'organization_show') => `/api/3/action/${action}?id=${id}&include_datasets=true`;

export async function measurements({ data }) {
  const medium = await organizationOf(data, 207);
  const group = await groupOf(data, 207);
  /** Paths of each row, and its maximum in ms of CPU. */
  const rows = {
    package_list: [['/api/3/action/package_list'], 2],
    [`organization_show, ${medium.count} datasets`]: [[show(medium.id)], 6],
    [`organization_show of ${MANY}`]: [organizations.slice(-MANY).map(({ id }) => show(id)), 6],
    [`group_show, ${group.count} datasets`]: [[show(group.id, 'group_show')], 6],
    'activities of all datasets, 100': [['/api/3/action/recently_changed_packages_activity_list?limit=100']],
    'current_package_list…, 100': [['/api/3/action/current_package_list_with_resources?limit=100']],
  };
  return Object.entries(rows).flatMap(([name, [paths, most]]) =>
    CONNECTIONS.flatMap((connections) => {
      const row = { connections, expect: OK, requests: () => paths.map((path) => ({ path })) };
      const asking = paths.map((path) => ({ path: `/asking${path}` }));
      const title = `${name} c${connections}`;
      const to = `kept bytes: ${title}`;
      return [
        { ...row, name: to, server: 'floor' },
        { ...row, name: `kept bytes after a question: ${title}`, server: 'floor', requests: () => asking, to },
        { ...row, name: title, server: 'catalog', to, goal: ofFloor(0.5, most) },
      ];
    }),
  );
}

/** Copies the catalog's answers to the floor. */
export async function prepare({ catalog, floor }, measurements) {
  const kept = measurements.filter(({ server, to }) => server === 'floor' && !to);
  for (const path of new Set(kept.flatMap(({ requests }) => requests(0).map(({ path }) => path)))) {
    const answer = await fetch(`http://127.0.0.1:${catalog.port}${path}`);
    await fetch(`http://127.0.0.1:${floor.port}${path}`, { method: 'PUT', body: await answer.arrayBuffer() });
  }
}

const organizationOf = (data, count) =>
  closestTo(data, count, 'd.owner_organization_id', 'WHERE d.owner_organization_id IS NOT NULL');
const groupOf = (data, count) =>
  closestTo(data, count, 'm.group_id', 'JOIN dataset_group m ON m.dataset_id = d.dataset_id');

/** The one whose number of public datasets is closest to `count`. */
async function closestTo({ client }, count, id, more) {
  const { rows } = await client.query(
    `SELECT ${id} AS id, count(*)::int AS count FROM (SELECT * FROM dataset_document WHERE state = 'active' AND NOT private) d ${more}
      GROUP BY 1 ORDER BY abs(count(*) - $1), 1 LIMIT 1`,
    [count],
  );
  return rows[0];
}
