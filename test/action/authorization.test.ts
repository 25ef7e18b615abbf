/**
 * Every action × every role × every state of a dataset, compared with the matrix in test/helpers/matrix.ts. Downloads and the graph
 * are checked in the same way. A refusal reveals nothing, and no list shows an object that the caller may not read.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { actions } from '../../facades/action/actions.ts';
import type { TestUser } from '../helpers/make.ts';
import { MATRIX, READ, ROLES, type Role, type Rule, type Scene, STATES, type State } from '../helpers/matrix.ts';
import { createStage, markOf, type Stage, sceneOf, wholeScene } from '../helpers/scene.ts';
import { type Answered, createWorld, type World } from '../helpers/world.ts';

let world: World;
let users: Record<Role, TestUser | null>;
let stage: Stage;
/** One dataset per state. No request of the tests changes them. */
let shelf: Record<State, Scene>;

beforeAll(async () => {
  world = await createWorld({
    'catalog.auth.create_unowned_dataset': false,
    'catalog.auth.create_dataset_if_not_in_organization': false,
    'catalog.auth.user_create_groups': false,
    'catalog.auth.user_create_organizations': false,
    'catalog.action_api.status': 'http',
  });
  await world.datastore();
  ({ users, stage } = await createStage(world));
  shelf = Object.fromEntries(
    await Promise.all(STATES.map(async (state) => [state, await wholeScene(stage, state)])),
  ) as typeof shelf;
});
afterAll(() => world.end());

const mayIn = ({ may }: Rule, state: State): readonly Role[] => ('public' in may ? may[state] : may);
const outcome = ({ body }: Answered): string => (body.success ? 'ok' : body.error.__type);

/** Whether the caller passed authorization. Other errors, such as validation errors, count as allowed. */
function isAllowed(answered: Answered, { nothing }: Rule): boolean {
  const said = outcome(answered);
  return said !== 'Authorization Error' && (said !== 'Not Found Error' || nothing === true);
}

it('lists exactly the existing actions', () => {
  expect(Object.keys(MATRIX).sort()).toEqual(Object.keys(actions).sort());
});

describe.each(Object.entries(MATRIX).filter(([name]) => name in actions))('%s', (name, rule) => {
  const write = actions[name]!.kind === 'write';
  const states = 'public' in rule.may ? STATES : (['public'] as const);

  it.each(states)('allows exactly the expected roles and reveals no unreadable dataset (%s)', async (state) => {
    const may = mayIn(rule, state);
    const faultOf = async (role: Role, about: Scene): Promise<string | null> => {
      const answered = await world.action(name, rule.params(about), { as: users[role] });
      const apikey = answered.body.result?.apikey;
      if (apikey && name === 'user_generate_apikey') users.other!.key = apikey;
      const allowed = may.includes(role);
      const told = STATES.filter((other) => !READ[other].includes(role) && answered.text.includes(markOf(other)));
      if (isAllowed(answered, rule) !== allowed)
        return `${role} should be ${allowed ? 'allowed' : 'refused'}: ${answered.text.slice(0, 300)}`;
      return told.length > 0 ? `${role} is told of ${told}: ${answered.text}` : null;
    };
    // Roles that must not change anything run first and share one scene. Each role that may write gets a scene of its own.
    const shared = write ? await sceneOf(stage, state, name) : shelf[state];
    const together = ROLES.filter((role) => !write || !may.includes(role));
    const faults = await Promise.all(together.map((role) => faultOf(role, shared)));
    for (const role of ROLES.filter((role) => !together.includes(role)))
      faults.push(await faultOf(role, await sceneOf(stage, state, name)));
    expect(faults.filter(Boolean)).toEqual([]);
  });
});

describe('the graph', () => {
  it.each(STATES)('shows %s datasets and their resources to the same roles', async (state) => {
    const { dataset, resource } = shelf[state];
    const read: Role[] = [];
    for (const role of ROLES) {
      const { body, text } = await world.graph(
        'query ($dataset: ID!, $resource: ID!) { dataset(id: $dataset) { title } resource(id: $resource) { name } }',
        { dataset, resource },
        { as: users[role] },
      );
      if (body.data?.dataset && body.data?.resource) read.push(role);
      else expect(text).not.toContain(markOf(state));
    }
    expect(read).toEqual(ROLES.filter((role) => READ[state].includes(role)));
  });
});

describe('downloads', () => {
  it.each(STATES)('of %s datasets are allowed for the same roles', async (state) => {
    const { dataset, resource } = shelf[state];
    const led: Role[] = [];
    for (const role of ROLES) {
      const { status } = await world.request(`/dataset/${dataset}/resource/${resource}/download/x`, {
        redirect: 'manual',
        headers: users[role] ? { authorization: users[role].key } : {},
      });
      if (status === 302) led.push(role);
      else expect({ role, status }).toEqual({ role, status: 403 });
    }
    expect(led).toEqual(ROLES.filter((role) => READ[state].includes(role)));
  });
});
