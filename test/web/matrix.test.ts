/**
 * Requests every page that shows data, in every role, for every state of a dataset. Readers without access get a refusal without data of
 * the dataset, and no list, feed or sitemap contains it. Pages of users are not cached.
 */
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CHARTS, DASHBOARDS } from '../../facades/web/site/dashboards/charts.ts';
import { enqueue } from '../../src/jobs/queue.service.ts';
import { usageImport } from '../../src/usage/import.service.ts';
import type { TestUser } from '../helpers/make.ts';
import { READ, ROLES, type Role, type Scene, STATES, type State } from '../helpers/matrix.ts';
import { createStage, markOf, type Stage, wholeScene } from '../helpers/scene.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let users: Record<Role, TestUser | null>;
let stage: Stage;
let shelf: Record<State, Scene>;

beforeAll(async () => {
  world = await createWorld({ 'catalog.usage.enabled': true });
  await world.datastore();
  ({ users, stage } = await createStage(world));
  for (const state of STATES) shelf = { ...shelf, [state]: await wholeScene(stage, state) };
  await fillDashboards();
});
afterAll(() => world.end());

/** Adds scores, broken links, failed loads and views of all datasets, so that each could appear in every figure. */
async function fillDashboards(): Promise<void> {
  while ((await world.app.score()) > 0);
  const { db } = world.database;
  const broken = {
    verdict: 'broken',
    reason: 'not_found',
    since: new Date(),
    checkedAt: new Date(),
    nextAt: new Date(),
  };
  await db.resourceLink.updateMany({ data: broken });
  const call = world.app.callAs(world.system);
  const uses = ['url,package_id,tracking_type,count,tracking_date'];
  for (const state of STATES) {
    const { dataset, resource } = shelf[state];
    await enqueue(call, { kind: 'load', subjectType: 'resource', subjectId: resource, datasetId: dataset });
    uses.push(`/dataset/x,${dataset},page,5,${new Date().toISOString().slice(0, 10)}`);
  }
  await db.job.updateMany({ data: { state: 'failed', error: 'Line 3', finishedAt: new Date() } });
  expect(await usageImport(() => call, Readable.from(uses))).toEqual({ rows: 5, known: 5 });
}

/** Pages of one dataset. */
const PAGES: Readonly<Record<string, (scene: Scene) => string>> = {
  dataset: ({ dataset }) => `/dataset/${dataset}`,
  activity: ({ dataset }) => `/dataset/activity/${dataset}`,
  groups: ({ dataset }) => `/dataset/groups/${dataset}`,
  related: ({ dataset }) => `/dataset/${dataset}/related`,
  resource: ({ dataset, resource }) => `/dataset/${dataset}/resource/${resource}`,
  view: ({ dataset, resource, view }) => `/dataset/${dataset}/resource/${resource}/view/${view}`,
  embedded: ({ dataset, resource, view }) => `/dataset/${dataset}/resource/${resource}/view/${view}/embed`,
};

/** Dashboards with a list of datasets, and the file of each such list. */
const dashboards = (isPrivate: boolean): string[] =>
  CHARTS.filter(({ dashboard }) => Boolean(DASHBOARDS[dashboard]!.isPrivate) === isPrivate).flatMap(
    ({ dashboard, id }) => [`/dashboards/${dashboard}`, `/dashboards/${dashboard}/${id}.csv`],
  );

/** Pages that list or mention datasets. */
const lists = (): string[] => [
  '/',
  '/dataset',
  ...STATES.map((state) => `/dataset?q=${markOf(state)}`),
  ...STATES.map((state) => `/dataset?tags=${markOf(state)}`),
  `/organization/${stage.stays.organization}`,
  `/organization/activity/${stage.stays.organization}`,
  `/organization/members/${stage.stays.organization}`,
  `/group/${stage.stays.group}`,
  `/group/activity/${stage.stays.group}`,
  '/tag',
  '/activity',
  '/related',
  '/stats',
  `/user/${stage.sysadmin.name}`,
  `/user/activity/${stage.sysadmin.name}`,
  '/feeds/dataset.atom',
  `/feeds/custom.atom?q=${markOf('private')}`,
  ...STATES.map((state) => `/feeds/tag/${markOf(state)}.atom`),
  '/sitemap-dataset-1.xml',
  '/sitemap-tag-1.xml',
  ...STATES.map((state) => `/revision/${shelf[state].revision}`),
  ...new Set(dashboards(false)),
];

/** Roles without a valid key: pages redirect them to the login as visitors. */
const VISITORS: readonly Role[] = ['anonymous', 'unknown', 'deleted'];
const get = (path: string, role: Role) =>
  world.request(path, {
    headers: { accept: 'text/html', ...(users[role] && { authorization: users[role].key }) },
  });
/** States whose marks appear in the answer though the role may not read the dataset. Marks in the requested URL do not count. */
const leaked = (text: string, path: string, role: Role): State[] =>
  STATES.filter(
    (state) => !READ[state].includes(role) && !path.includes(markOf(state)) && text.includes(markOf(state)),
  );

describe.each(Object.entries(PAGES))('the page %s', (_, address) => {
  it.each(STATES)('of a %s dataset is shown to authorized readers only', async (state) => {
    const faults: string[] = [];
    for (const role of ROLES) {
      const path = address(shelf[state]);
      const { status, text, headers } = await get(path, role);
      const shown = text.includes(markOf(state));
      const may = READ[state].includes(role);
      const isRefused =
        status === 403 || status === 404 || (VISITORS.includes(role) && text.includes('name="password"'));
      if (may ? status !== 200 || !shown : !isRefused || shown)
        faults.push(`${role}: ${path} answered ${status}${shown ? ' and showed it' : ''}`);
      if (!VISITORS.includes(role) && !headers.get('cache-control')?.includes('no-store'))
        faults.push(`${role}: ${path} may be stored`);
      for (const other of leaked(text, path, role)) faults.push(`${role}: ${path} tells of ${other}`);
    }
    expect(faults).toEqual([]);
  });
});

it.each(ROLES)('lists show %s only datasets that the role may read', async (role) => {
  const faults: string[] = [];
  let marks = 0;
  for (const path of lists()) {
    const { status, text } = await get(path, role);
    if (status >= 500) faults.push(`${path} answered ${status}`);
    for (const state of leaked(text, path, role)) faults.push(`${path} tells of ${state}`);
    marks += STATES.filter((state) => text.includes(markOf(state))).length;
  }
  expect(faults).toEqual([]);
  expect(marks).toBeGreaterThan(10);
});

it('the quality of a dataset is shown to authorized readers only', async () => {
  const faults: string[] = [];
  for (const state of STATES)
    for (const role of ROLES) {
      const { status, headers } = await get(`/dataset/${shelf[state].dataset}/quality.ttl`, role);
      const expected = READ[state].includes(role) ? [200] : [403, 404];
      if (!expected.includes(status)) faults.push(`${role}: ${state} answered ${status}`);
      if (!READ[state].includes('anonymous') && /public/.test(headers.get('cache-control') ?? ''))
        faults.push(`${role}: ${state} may be stored`);
    }
  expect(faults).toEqual([]);
});

it.each(['quality/worst', 'quality/broken-links', 'usage/top'])(
  'the dashboard list %s shows visitors the public datasets',
  async (list) => {
    const { status, text } = await get(`/dashboards/${list}.csv`, 'anonymous');
    const shown = STATES.filter((state) => text.includes(markOf(state)));
    expect([status, shown]).toEqual([200, ['public', 'unowned']]);
  },
);

it.each(ROLES)('private dashboards are open to system administrators only: %s', async (role) => {
  const faults: string[] = [];
  for (const path of new Set(dashboards(true))) {
    const { status, text } = await get(path, role);
    const isRefused = status === 403 || (VISITORS.includes(role) && text.includes('name="password"'));
    if (role === 'sysadmin' ? status !== 200 : !isRefused) faults.push(`${path} answered ${status}`);
    for (const state of role === 'sysadmin' ? [] : STATES)
      if (text.includes(markOf(state))) faults.push(`${path} tells of ${state}`);
  }
  expect(faults).toEqual([]);
});
