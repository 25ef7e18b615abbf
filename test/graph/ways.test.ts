/** Navigation from a dataset to related objects under their read policies, and the list of settings. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld({ 'smtp.password': 'very-secret' });
  admin = await world.make.sysadmin();
});
afterAll(() => world.end());

const WAYS = `query ($name: ID!) { dataset(id: $name) {
  organization { name datasets { nodes { name } } }
  creator { name }
  revision { databaseId actor { name } }
  tags { name tag { name datasets { nodes { name } } } }
  groups { name group { name datasets { nodes { name } } } }
  resources { name dataset { name } views { resource { name } dataset { name } } }
} }`;

async function filed(name: string): Promise<void> {
  const as = admin;
  await world.result('organization_create', { name: `org-${name}` }, { as });
  await world.result('group_create', { name: `group-${name}` }, { as });
  await world.result(
    'package_create',
    {
      name,
      owner_org: `org-${name}`,
      groups: [{ name: `group-${name}` }],
      tags: [{ name: `tag ${name}` }],
      resources: [{ url: 'http://example.com/a.txt', name: 'a', format: 'txt' }],
    },
    { as },
  );
}

it('navigates from a dataset to related objects and back', async () => {
  await filed('wells');
  const { body, text } = await world.graph(WAYS, { name: 'wells' });
  const back = { nodes: [{ name: 'wells' }] };
  expect({ text, data: body.data }).toEqual({
    text,
    data: {
      dataset: {
        organization: { name: 'org-wells', datasets: back },
        creator: { name: admin.name },
        revision: { databaseId: expect.any(String), actor: { name: admin.name } },
        tags: [{ name: 'tag wells', tag: { name: 'tag wells', datasets: back } }],
        groups: [{ name: 'group-wells', group: { name: 'group-wells', datasets: back } }],
        resources: [
          {
            name: 'a',
            dataset: { name: 'wells' },
            views: [{ resource: { name: 'a' }, dataset: { name: 'wells' } }],
          },
        ],
      },
    },
  });
});

it('returns null for a related object that the caller may not read', async () => {
  await filed('springs');
  await world.database.db.group.update({ where: { name: 'org-springs' }, data: { state: 'deleted' } });
  const query = '{ dataset(id: "springs") { ownerOrganizationId organization { name } } }';
  const { body: visitors } = await world.graph(query);
  expect(visitors.data.dataset).toEqual({ ownerOrganizationId: expect.any(String), organization: null });
  const { body: admins } = await world.graph(query, {}, { as: admin });
  expect(admins.data.dataset.organization).toEqual({ name: 'org-springs' });
});

const SETTINGS = '{ settings { name value description variable isOption } }';

it('shows all settings to system administrators, with secrets hidden', async () => {
  const { body, text } = await world.graph(SETTINGS, {}, { as: admin });
  const found = new Map(body.data.settings.map((it: { name: string }) => [it.name, it]));
  expect({ text: text.slice(0, 500), title: found.get('catalog.site_title') }).toEqual({
    text: text.slice(0, 500),
    title: {
      name: 'catalog.site_title',
      value: expect.any(String),
      description: expect.any(String),
      variable: 'CATALOG__SITE_TITLE',
      isOption: true,
    },
  });
  expect(found.get('smtp.password')).toMatchObject({ value: '(hidden)', isOption: false });
  expect(text).not.toContain('very-secret');
});

it('refuses settings to other callers', async () => {
  const user = await world.make.user({ name: 'reader' });
  for (const as of [undefined, user]) {
    const { body, text } = await world.graph(SETTINGS, {}, { as });
    expect({ text, code: body.errors?.[0].extensions.code }).toEqual({ text, code: 'NOT_AUTHORIZED' });
  }
});
