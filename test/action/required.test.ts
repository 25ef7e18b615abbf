/**
 * Checks that exactly the parameters declared as required are required. Sends an empty request, requests that omit one required
 * parameter each, and a request with the required parameters only.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { actions } from '../../facades/action/actions.ts';
import { FILE, type Param } from '../../facades/action/params.ts';
import { MATRIX } from '../helpers/matrix.ts';
import { type Stage, sceneOf } from '../helpers/scene.ts';
import { type Answered, createWorld, type World } from '../helpers/world.ts';

/** Names or messages under which some actions report a missing parameter, by action and parameter. */
const SAID: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  package_owner_org_update: { id: 'Package was not found' },
  group_member_delete: { id: 'Group was not found' },
  organization_member_delete: { id: 'Group was not found' },
  group_revision_list: { id: 'Missing id' },
  organization_revision_list: { id: 'Missing id' },
  term_translation_update_many: { data: 'error' },
  ...Object.fromEntries(
    ['create', 'update', 'delete'].map((verb) => [
      `package_relationship_${verb}_rest`,
      { id: 'subject', id2: 'object', rel: 'type' },
    ]),
  ),
};
/** Parameters checked only after the others are valid: the error for `{}` does not name them. */
const LATER: Readonly<Record<string, readonly string[]>> = {
  resource_view_create: ['title', 'view_type'],
  user_update: ['email'],
};

let world: World;
let stage: Stage;
beforeAll(async () => {
  world = await createWorld();
  await world.datastore();
  const { make } = world;
  const group = async (kind: 'organization' | 'group') => (await make[kind]()).id;
  const stays = {
    organization: await group('organization'),
    group: await group('group'),
    anchor: (await make.dataset()).id,
  };
  stage = { world, sysadmin: await make.sysadmin(), other: await make.user(), stays, group };
});
afterAll(() => world.end());

/** Calls an action as an authorized user. */
async function call(name: string, params: Record<string, unknown>): Promise<Answered> {
  const { may } = MATRIX[name]!;
  const answered = await world.action(name, params, {
    as: 'public' in may || may.includes('sysadmin') ? stage.sysadmin : stage.other,
  });
  if (name === 'user_generate_apikey' && answered.body.success)
    Object.assign(stage.other, { key: answered.body.result.apikey });
  return answered;
}

/** Parameters named in an error. */
function namedIn({ body }: Answered): string[] {
  const { message: _message, __type: _type, ...named } = body.error ?? {};
  return Object.keys(named).sort();
}

const without = (params: Record<string, unknown>, name: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(params).filter(([other]) => other !== name));

describe.each(Object.entries(actions))('%s', (name, { params, anyOf = [] }) => {
  const required = Object.entries(params as Record<string, Param<unknown>>)
    .filter(([, param]) => param.required)
    .map(([param]) => param);
  const said = SAID[name] ?? {};

  it('reports the required parameters for an empty request', async () => {
    const nothing = await call(name, {});
    expect(nothing.body.success).toBe(required.length + anyOf.length === 0);
    const words = required.map((param) => said[param] ?? param);
    const named = namedIn(nothing);
    if (named.length > 0 && required.length > 0)
      expect(named).toEqual(words.filter((word) => !LATER[name]?.includes(word)).sort());
    else if (required.length > 0) expect(nothing.text).toContain(words[0]);
  });

  it('requires each of them', async () => {
    const all = MATRIX[name]!.params(await sceneOf(stage, 'public', name));
    for (const param of required) {
      const answered = await call(name, without(all, param));
      expect({ param, success: answered.body.success }).toEqual({ param, success: false });
      expect(answered.text).toContain(said[param] ?? param);
    }
  });

  it('accepts the required parameters alone', async () => {
    const all = MATRIX[name]!.params(await sceneOf(stage, 'public', name));
    const set = anyOf.find((names) => names.every((param) => Object.hasOwn(all, param))) ?? [];
    const forced = Object.hasOwn(all, 'force') ? ['force'] : []; // the resource of a scene is a link
    const least = Object.fromEntries([...required, ...set, ...forced].map((param) => [param, all[param]]));
    const { body, text } = await call(name, least);
    if (!(MATRIX[name]!.nothing && body.error?.__type === 'Not Found Error') && !body.success)
      throw new Error(`${JSON.stringify(least)}\n${text}`);
  });

  if (anyOf.length === 0) return;
  it('requires one of the alternative sets of parameters, and accepts any', async () => {
    const all = MATRIX[name]!.params(await sceneOf(stage, 'public', name));
    const given = Object.fromEntries(required.map((param) => [param, all[param]]));
    const refused = (await call(name, given)).body;
    expect(refused.success).toBe(false);
    const one = anyOf.flat().find((param) => Object.hasOwn(all, param))!;
    for (const set of anyOf.filter((names) => names.every((param) => params[param]?.type !== FILE))) {
      const whole = Object.fromEntries(
        set.map((param) => [param, all[param] ?? (param.includes('__') || set.length > 1 ? 'x' : all[one])]),
      );
      expect((await call(name, { ...given, ...whole })).body).not.toEqual(refused);
      if (set.length > 1)
        for (const param of set)
          expect((await call(name, { ...given, ...without(whole, param) })).text).toContain(param);
    }
  });
});
