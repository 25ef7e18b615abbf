/** Optimistic locking: every mutation that changes or removes a versioned object refuses a wrong `expectedVersion`. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getNamedType, isInputObjectType } from 'graphql';
import { schema } from '../../src/graph/schema.ts';
import { isPublic } from '../helpers/full-graph.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
beforeAll(async () => {
  world = await createWorld();
  await world.datastore();
  admin = await world.make.sysadmin();
});
afterAll(() => world.end());

const call = (name: string, params: Record<string, unknown>) => world.result(name, params, { as: admin });
const newDataset = async () => {
  const { name, body } = await world.make.dataset({ resources: [{ url: 'u' }] });
  return {
    dataset: name,
    match: { name },
    resourceId: body.resources[0]!.id,
    versionOf: `dataset(id: "${name}")`,
  };
};
const newGroup = async (kind: 'group' | 'organization') => {
  const { name } = await call(`${kind}_create`, { name: `${kind}-${world.id().slice(0, 8)}` });
  return { [kind]: name, versionOf: `${kind}(id: "${name}")` };
};
const newUser = async () => {
  const { name } = await world.make.user();
  return { user: name, versionOf: `user(id: "${name}")` };
};
const newView = async () => {
  const { resourceId } = await newDataset();
  const { id } = await call('resource_view_create', { resource_id: resourceId, view_type: 'text_view', title: 't' });
  return { viewId: id, versionOf: `resourceView(id: "${id}")` };
};
const newTable = async () => {
  const { resourceId } = await newDataset();
  await call('datastore_create', { resource_id: resourceId, force: true, records: [{ a: 1 }] });
  return { resourceId, versionOf: `table(databaseId: "${resourceId}")` };
};
const newItem = async () => {
  const { id } = await call('related_create', { title: 't', type: 'idea' });
  return { id, versionOf: `relatedItem(databaseId: "${id}")` };
};
const newVocabulary = async () => {
  const { id, name } = await call('vocabulary_create', { name: `v-${world.id().slice(0, 8)}`, tags: [] });
  return { vocabulary: id, id, name, versionOf: `vocabulary(id: "${id}")` };
};
const newTag = async () => {
  const { vocabulary, versionOf } = await newVocabulary();
  const { id } = await call('tag_create', { name: `t-${world.id().slice(0, 8)}`, vocabulary_id: vocabulary });
  return { id, vocabulary, versionOf };
};
const newRelationship = async () => {
  const { dataset, versionOf } = await newDataset();
  const ends = { subject: dataset, object: (await newDataset()).dataset, type: 'links_to' };
  await call('package_relationship_create', ends);
  return { ...ends, type: 'LINKS_TO', versionOf };
};
const newWebhook = async () => {
  const { body } = await world.graph(
    'mutation { createWebhook(input: { url: "https://example.com/" }) { webhook { databaseId } } }',
    {},
    { as: admin },
  );
  const id = body.data.createWebhook.webhook.databaseId;
  return { webhook: id, versionOf: `webhook(databaseId: "${id}")` };
};
/** A group and its creator, as input fields of every mutation that adds or removes members. */
const newMember = async () => {
  const { name } = admin;
  const group: Made = await newGroup('group');
  return {
    ...group,
    domainObject: group.group,
    userRoles: [{ user: name, roles: ['editor'] }],
    roles: ['editor'],
    user: name,
    object: name,
    objectType: 'user',
    capacity: 'editor',
  };
};
const newSource = async () => {
  const { body } = await world.graph(
    'mutation { createHarvestSource(input: { url: "http://example.com/", kind: CKAN }) { source { name } } }',
    {},
    { as: admin },
  );
  const { name } = body.data.createHarvestSource.source;
  return { source: name, versionOf: `harvestSource(id: "${name}")` };
};
type Made = { versionOf: string } & Record<string, unknown>;

/** Each of these mutations, with the function that creates its object and further input fields. */
const CASES: Record<string, [() => Promise<Made>, Record<string, unknown>?]> = {
  replaceDataset: [newDataset, { title: 'new' }],
  updateDataset: [newDataset, { title: 'new' }],
  deleteDataset: [newDataset],
  purgeDataset: [newDataset],
  setDatasetOwner: [newDataset, { ownerOrganization: null }],
  reviseDataset: [newDataset, { update: { title: 'new' } }],
  replaceResource: [newDataset, { resource: { url: 'v' } }],
  updateResource: [newDataset, { resource: { url: 'v' } }],
  deleteResource: [newDataset],
  reorderResources: [newDataset, { order: [] }],
  replaceGroup: [() => newGroup('group'), { title: 'new' }],
  updateGroup: [() => newGroup('group'), { title: 'new' }],
  deleteGroup: [() => newGroup('group')],
  purgeGroup: [() => newGroup('group')],
  replaceOrganization: [() => newGroup('organization'), { title: 'new' }],
  updateOrganization: [() => newGroup('organization'), { title: 'new' }],
  deleteOrganization: [() => newGroup('organization')],
  purgeOrganization: [() => newGroup('organization')],
  setMemberRole: [newMember],
  removeMember: [newMember],
  setUserRoles: [newMember],
  setRolesOfUsers: [newMember],
  addGroupMember: [newMember, { objectType: 'USER', capacity: 'EDITOR' }],
  removeGroupMember: [newMember, { objectType: 'USER' }],
  updateHarvestSource: [newSource, { title: 'new' }],
  deleteHarvestSource: [newSource],
  updateRelatedItem: [newItem, { title: 'new' }],
  deleteRelatedItem: [newItem],
  replaceUser: [newUser, { fullName: 'new', email: 'new@example.com' }],
  updateUser: [newUser, { fullName: 'new' }],
  deleteUser: [newUser],
  generateApiKey: [newUser],
  createTable: [newTable, { force: true, fields: [{ id: 'a', info: { label: 'new' } }] }],
  writeRecords: [newTable, { force: true, mode: 'INSERT', records: [{ a: 2 }] }],
  deleteRecords: [newTable, { force: true, filter: [] }],
  deleteTable: [newTable, { force: true }],
  updateResourceView: [newView, { title: 'new' }],
  deleteResourceView: [newView],
  updateVocabulary: [newVocabulary, { tags: ['new'] }],
  deleteVocabulary: [newVocabulary],
  deleteTag: [newTag],
  updateDatasetRelationship: [newRelationship, { comment: 'new' }],
  deleteDatasetRelationship: [newRelationship],
  updateWebhook: [newWebhook, { paused: true }],
  deleteWebhook: [newWebhook],
  rotateWebhookSecret: [newWebhook],
};

const fieldsOf = (mutation: string): string[] => {
  const input = getNamedType(schema.getMutationType()!.getFields()[mutation]!.args[0]!.type);
  return isInputObjectType(input) ? Object.keys(input.getFields()) : [];
};
/** Names of mutations that change or remove a versioned object. */
const CHANGES =
  /^(replace|patch|delete|purge|update|revise)(Dataset|Resource|Group|Organization|RelatedItem|User|ResourceView|Vocabulary|Webhook|HarvestSource)$/;

it('covers every mutation that changes or removes a versioned object', () => {
  const names = Object.keys(schema.getMutationType()!.getFields());
  const wanted = names.filter((name) => CHANGES.test(name) || fieldsOf(name).includes('expectedVersion'));
  expect(wanted.sort()).toEqual(Object.keys(CASES).sort());
});

async function versionOf(object: string): Promise<number> {
  return Object.values<{ version: number }>(
    (await world.graph(`{ it: ${object} { version } }`, {}, { as: admin })).body.data,
  )[0]!.version;
}

async function change(mutation: string, input: Record<string, unknown>) {
  const type = String(schema.getMutationType()!.getFields()[mutation]!.args[0]!.type);
  const query = `mutation ($input: ${type}) { it: ${mutation}(input: $input) { errors { code message path currentVersion } } }`;
  const send = isPublic(mutation) ? world.graph : world.full;
  const { body, text } = await send(query, { input }, { as: admin });
  if (body.errors) throw new Error(`${mutation} ${JSON.stringify(input)}\nanswered ${text.slice(0, 1000)}`);
  return body.data.it.errors;
}

describe.each(Object.keys(CASES))('%s', (mutation) => {
  it('returns CONFLICT with the current version for another one, and accepts the current one', async () => {
    const [make, said = {}] = CASES[mutation]!;
    const { versionOf: object, ...ids } = await make();
    const known = Object.fromEntries(Object.entries(ids).filter(([key]) => fieldsOf(mutation).includes(key)));
    const at = await versionOf(object);
    const stale = { ...known, ...said, expectedVersion: at + 1 };
    expect(await change(mutation, stale)).toEqual([
      {
        code: 'CONFLICT',
        message: `The current version is ${at}`,
        path: ['expectedVersion'],
        currentVersion: at,
      },
    ]);
    expect(await versionOf(object)).toBe(at);
    expect(await change(mutation, { ...stale, expectedVersion: at })).toEqual([]);
  });
});
