/**
 * Requests every page that shows data, in every role, for every state of a dataset. Readers without access get a refusal that contains
 * nothing of the dataset, and no list, feed or sitemap has it. Caches never store pages of users.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { READ, ROLES, type Role, type Scene, STATES, type State } from '../helpers/matrix.ts';
import { createStage, markOf, type Stage, wholeScene } from '../helpers/scene.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let users: Record<Role, TestUser | null>;
let stage: Stage;
let shelf: Record<State, Scene>;

beforeAll(async () => {
  world = await createWorld();
  await world.datastore();
  ({ users, stage } = await createStage(world));
  for (const state of STATES) shelf = { ...shelf, [state]: await wholeScene(stage, state) };
});
afterAll(() => world.end());

/** Pages of one dataset. */
const PAGES: Readonly<Record<string, (scene: Scene) => string>> = {
  dataset: ({ dataset }) => `/dataset/${dataset}`,
  activity: ({ dataset }) => `/dataset/activity/${dataset}`,
  groups: ({ dataset }) => `/dataset/groups/${dataset}`,
  related: ({ dataset }) => `/dataset/${dataset}/related`,
  resource: ({ dataset, resource }) => `/dataset/${dataset}/resource/${resource}`,
  view: ({ dataset, resource, view }) => `/dataset/${dataset}/resource/${resource}/view/${view}`,
};

/** Pages that list datasets, or tell of them. */
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
];

/** They have no key that works: to a page they are visitors, who are sent to log in. */
const VISITORS: readonly Role[] = ['anonymous', 'unknown', 'deleted'];
const get = (path: string, role: Role) =>
  world.request(path, {
    headers: { accept: 'text/html', ...(users[role] && { authorization: users[role].key }) },
  });
/** Marks that stand in the answer though the role may not read the dataset. An address that repeats the request's is not counted. */
const leaked = (text: string, path: string, role: Role): State[] =>
  STATES.filter(
    (state) => !READ[state].includes(role) && !path.includes(markOf(state)) && text.includes(markOf(state)),
  );

describe.each(Object.entries(PAGES))('the page %s', (_, address) => {
  it.each(STATES)('of a %s dataset is for those who may read it', async (state) => {
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

it.each(ROLES)('lists tell %s only of what they may read', async (role) => {
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
