/** The legacy interfaces do not reveal private, draft and deleted datasets to callers who may not read them. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Row } from '../../facades/legacy/define.ts';
import { rows } from '../../facades/legacy/rows/index.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

/** Part of every text of a hidden dataset, except its name. */
const SECRET = 'hushhush';
const HIDDEN = ['private', 'draft', 'deleted'] as const;

let world: World;
let owner: TestUser;
let stranger: TestUser;
let keyOfStranger: Record<string, string>;
/** Ids of hidden datasets, their resources, related items and revisions. */
let ids: string[];
let revisions: string[];
/** Revisions without a change to public data. */
let onlyHidden: string[];
let items: string[];

beforeAll(async () => {
  world = await createWorld();
  owner = await world.make.user({ name: 'owner' });
  stranger = await world.make.user({ name: 'stranger' });
  keyOfStranger = { authorization: stranger.key };
  const organization = await world.make.organization({ members: { [owner.id]: 'admin' } });
  await world.make.group({ name: 'water', members: { [owner.id]: 'admin' } });
  const admin = await world.make.sysadmin(); // only sysadmins may set the state of a new dataset
  const make = (fields: Record<string, unknown>) =>
    world.result(
      'package_create',
      { owner_org: organization.id, groups: [{ name: 'water' }], ...fields },
      { as: admin },
    );
  const open = await make({ name: 'open' });
  ids = [];
  revisions = [];
  items = [];
  for (const kind of HIDDEN) {
    const dataset = await make({
      name: `hidden-${kind}`,
      title: SECRET,
      notes: SECRET,
      private: kind !== 'draft', // a dataset that was public stays visible in its history
      tags: [{ name: SECRET }],
      extras: [{ key: 'theme', value: SECRET }],
      resources: [{ url: `http://example.org/${SECRET}`, format: SECRET, hash: SECRET, description: SECRET }],
      ...(kind === 'draft' && { state: 'draft' }),
    });
    const relation = { subject: open.id, object: dataset.id, type: 'depends_on', comment: SECRET };
    await world.result('package_relationship_create', relation, { as: owner });
    const item = { title: SECRET, type: 'idea', dataset_id: dataset.id };
    items.push((await world.result('related_create', item, { as: owner })).id);
    if (kind === 'deleted') await world.result('package_delete', { id: dataset.id }, { as: owner });
    ids.push(dataset.id, dataset.resources[0].id);
    revisions.push(...(await revisionsOf(dataset.id)));
    const { state } = await world.result('package_show', { id: dataset.id }, { as: owner });
    expect(state).toBe(kind === 'private' ? 'active' : kind);
  }
  const shared = await revisionsOf(open.id); // revisions that also contain the relationship
  onlyHidden = revisions.filter((id) => !shared.includes(id));
});
afterAll(() => world.end());

const revisionsOf = async (id: string): Promise<string[]> =>
  (await world.result('package_revision_list', { id }, { as: owner })).map((revision: { id: string }) => revision.id);

/** Addresses of a row, with each object that it may name. */
function pathsOf({ path }: Row): string[] {
  const datasets = HIDDEN.map((kind) => `hidden-${kind}`);
  const first = path.startsWith('/rest/revision')
    ? revisions
    : path.startsWith('/rest/related')
      ? items
      : path.startsWith('/rest/group')
        ? ['water']
        : path.startsWith('/rest/user')
          ? ['owner']
          : path.startsWith('/rest/tag')
            ? [SECRET]
            : ['open', ...datasets, ...ids];
  const named = path.includes(':id') ? first.map((id) => path.replace(':id', id)) : [path];
  return named.flatMap((one) =>
    one.includes(':other') ? [...datasets, 'open'].map((name) => one.replace(':other', name)) : [one],
  );
}

const QUERIES = [
  '',
  `q=${SECRET}`,
  'q=capacity:private',
  'q=state:draft&all_fields=1',
  'fq=state:deleted&all_fields=1',
  'fq=capacity:private&all_fields=1',
  'all_fields=1&limit=100',
  `url=example&format=${SECRET.slice(0, 4)}&all_fields=1`,
  `hash=${SECRET.slice(0, 4)}`,
  `tags=${SECRET}`,
  `title=${SECRET.slice(0, 4)}*`,
  `incomplete=${SECRET.slice(0, 4)}`,
  'incomplete=hidden',
  'since_time=2000-01-01',
];

describe.each(
  rows.filter(({ method }) => ['GET', 'FORM', 'QUERY'].includes(method)).map((row) => [row.path, row] as const),
)('%s', (_path, row) => {
  it('reveals nothing', async () => {
    for (const version of ['/api', '/api/1', '/api/2', '/api/3'])
      for (const path of pathsOf(row))
        for (const query of row.path.startsWith('/rest') ? [''] : QUERIES)
          for (const headers of [{}, keyOfStranger]) {
            const { status, text } = await world.request(`${version}${path}?${query}`, { headers });
            const at = `${version}${path}?${query} → ${status}`;
            const echo = query.includes(SECRET) || query.startsWith('title') || path.includes(SECRET);
            if (
              !(echo && status >= 400) &&
              !path.includes('create_slug') &&
              !path.includes('munge') &&
              !path.includes('markdown')
            )
              expect([at, text.includes(SECRET)]).toEqual([at, false]);
            // A refusal may repeat the request, but no data that was looked up with it.
            const words = [...ids, ...onlyHidden, ...items, 'hidden-'];
            const told = words.filter((word) => text.includes(word) && (status === 200 || !path.includes(word)));
            expect([at, told]).toEqual([at, []]);
          }
  });
});

it('shows hidden datasets to users who may read them', async () => {
  const headers = { authorization: owner.key };
  expect((await world.request('/api/2/rest/dataset/hidden-private', { headers })).body.title).toBe(SECRET);
  expect((await world.request(`/api/2/rest/revision/${revisions[0]}`, { headers })).status).toBe(200);
});

it.each(HIDDEN)('refuses other users who update, relate, rate or group a %s dataset', async (kind) => {
  const name = `hidden-${kind}`;
  const send = (method: string, path: string, body?: object, headers = keyOfStranger) =>
    world.request(`/api/2/rest/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const answers = [
    await send('PUT', `dataset/${name}`, { title: 'mine' }),
    await send('POST', `dataset/${name}`, { title: 'mine' }),
    await send('DELETE', `dataset/${name}`),
    await send('POST', `dataset/${name}/depends_on/open`, {}),
    await send('POST', `dataset/open/depends_on/${name}`, {}),
    await send('PUT', `dataset/open/depends_on/${name}`, {}),
    await send('DELETE', `dataset/open/depends_on/${name}`),
    await send('POST', 'rating', { package: name, rating: 1 }),
    await send('POST', 'related', { title: 'x', type: 'idea', dataset_id: ids[HIDDEN.indexOf(kind) * 2] }),
    await send('DELETE', `related/${items[HIDDEN.indexOf(kind)]}`),
    await send('POST', 'group', { name: `of-stranger-${kind}`, packages: [name] }),
  ];
  for (const { status, text } of answers) {
    expect([403, 404, 409]).toContain(status);
    expect(text).not.toContain(SECRET);
  }
});
