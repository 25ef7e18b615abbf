/**
 * Refusals that hide data: a caller who guesses the name or alias of a hidden object gets no id or text that the server looked up,
 * neither from actions nor from the legacy APIs. Refusals to visitors name visitors.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rows } from '../../facades/legacy/rows/index.ts';
import type { TestUser } from '../helpers/make.ts';
import { MATRIX, type Scene } from '../helpers/matrix.ts';
import { createWorld, type World } from '../helpers/world.ts';

const SECRET = 'hushhush';
const KINDS = ['private', 'draft', 'deleted', 'unowned'] as const;
type Kind = (typeof KINDS)[number];

let world: World;
let stranger: TestUser;
const scenes = {} as Record<Kind, Scene>;
/** Ids and texts of hidden objects. */
const hidden: string[] = [];

beforeAll(async () => {
  world = await createWorld();
  await world.datastore();
  const admin = { as: await world.make.sysadmin() };
  const other = await world.make.user({ name: 'other-user' });
  stranger = await world.make.user({ name: 'stranger' });
  const anchor = await world.result(
    'package_create',
    { name: 'anchor', owner_org: (await world.make.organization()).id },
    admin,
  );
  for (const kind of KINDS) scenes[kind] = await hide(kind, admin, other, anchor.id);
});
afterAll(() => world.end());

/** Creates hidden objects, and refers to them by name or alias where possible. */
async function hide(kind: Kind, admin: { as: TestUser }, other: TestUser, anchor: string): Promise<Scene> {
  const { result } = world;
  const closed = async (word: 'organization' | 'group') => {
    const { id, name } = await result(`${word}_create`, { name: `${word}-${kind}` }, admin);
    await result(`${word}_delete`, { id }, admin);
    hidden.push(id);
    return name as string;
  };
  const owner_org = kind === 'unowned' ? undefined : (await world.make.organization({ name: `owner-${kind}` })).id;
  const { id, resources, revision_id } = await result(
    'package_create',
    {
      name: `named-${kind}`,
      owner_org,
      title: SECRET,
      notes: SECRET,
      private: kind === 'private' || kind === 'deleted',
      ...((kind === 'draft' || kind === 'unowned') && { state: 'draft' }),
      resources: [{ url: `http://example.com/${SECRET}.png`, name: SECRET }],
    },
    admin,
  );
  const resource_id = resources[0].id;
  const alias = `alias-${kind}`;
  await result('datastore_create', { resource_id, force: true, aliases: [alias], records: [{ a: SECRET }] }, admin);
  const view = await result('resource_view_create', { resource_id, title: SECRET, view_type: 'image_view' }, admin);
  const related = await result('related_create', { dataset_id: id, title: SECRET, type: 'idea' }, admin);
  const about = { entity_id: resource_id, entity_type: 'resource', task_type: 'job', key: SECRET, value: SECRET };
  const task = await result('task_status_update', about, admin);
  const vocabulary = await result(
    'vocabulary_create',
    { name: `vocabulary-${kind}`, tags: [{ name: `tag-${kind}` }] },
    admin,
  );
  if (kind === 'deleted') await result('package_delete', { id }, admin);
  hidden.push(id, resource_id, revision_id, view.id, related.id, task.id, SECRET);
  return {
    unique: `u-${world.id()}`,
    dataset: `named-${kind}`,
    resource: alias,
    view: view.id,
    related: related.id,
    revision: revision_id,
    anchor,
    organization: await closed('organization'),
    group: await closed('group'),
    user: other.name,
    tag: `tag-${kind}`,
    vocabulary: vocabulary.name,
    task: task.id,
    activity: world.id(),
    token: world.id(),
  };
}

/** Hidden ids and texts in a response that were not in the request. */
const told = (request: unknown, text: string): string[] => {
  const sent = JSON.stringify(request);
  return [...new Set(hidden)].filter((word) => text.includes(word) && !sent.includes(word));
};

describe.each(Object.entries(MATRIX))('%s', (name, { params }) => {
  it.each(KINDS)('reveals nothing about %s datasets', async (kind) => {
    for (const as of [null, stranger]) {
      const sent = params(scenes[kind]);
      const { text, body } = await world.action(name, sent, { as });
      expect({ name, sent, told: told([name, sent], text), text: told(sent, text).length > 0 ? text : '' }).toEqual({
        name,
        sent,
        told: [],
        text: '',
      });
      if (body.error?.__type !== 'Authorization Error') continue;
      expect(body.error.message).toMatch(/^Access denied/);
      expect(body.error.message).not.toMatch(/User {2}|null|undefined/);
    }
  });
});

describe.each(rows.filter(({ path }) => path.includes(':id')).map((row) => [row.method, row.path, row] as const))(
  '%s %s',
  (_method, _path, { method, path }) => {
    it('reveals nothing about hidden datasets', async () => {
      for (const kind of KINDS)
        for (const name of [scenes[kind].dataset, scenes[kind].group, scenes[kind].resource])
          for (const key of [undefined, stranger.key]) {
            const address = `/api/2${path.replace(':id', name).replace(':other', scenes[kind].dataset).replace(':type', 'links_to')}`;
            const isRead = ['GET', 'FORM', 'QUERY'].includes(method);
            const { text } = await world.request(address, {
              method: isRead ? 'GET' : method,
              headers: { 'content-type': 'application/json', ...(key && { authorization: key }) },
              ...(!isRead && { body: JSON.stringify({ name }) }),
            });
            expect([method, address, told(address, text)]).toEqual([method, address, []]);
            expect(text).not.toMatch(/User {2}/);
          }
    });
  },
);

it('a refusal names the object as the request does', async () => {
  const refusal = async (name: string, params: object, as: TestUser | null) =>
    (await world.action(name, { ...params }, { as, get: true })).body.error.message;
  expect(await refusal('package_show', { id: 'named-private' }, null)).toBe(
    'Access denied: Visitors are not authorized to read package named-private',
  );
  expect(await refusal('datastore_search', { resource_id: 'alias-private' }, stranger)).toBe(
    'Access denied: User stranger not authorized to read resource alias-private',
  );
  expect(await refusal('datastore_search_sql', { sql: 'SELECT * FROM "alias-draft"' }, null)).toBe(
    'Access denied: Visitors are not authorized to read resource alias-draft',
  );
  expect(await refusal('group_show', { id: 'group-private' }, stranger)).toBe(
    'Access denied: User stranger not authorized to read group group-private',
  );
});
