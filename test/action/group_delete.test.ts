import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let admin: TestUser;
let una: TestUser;

beforeAll(async () => {
  world = await createWorld();
  admin = await world.make.sysadmin();
  una = await world.make.user({ name: 'una' });
});
afterAll(() => world.end());

const typeOf = async (name: string, params: Record<string, unknown>, as: TestUser | null = null) =>
  (await world.action(name, params, { as })).body.error?.__type;

describe('group_delete', () => {
  it('marks a group as deleted: hidden from lists and datasets, visible to members, its name reserved', async () => {
    const group = await world.make.group({ members: { [una.id]: 'admin' } });
    const dataset = await world.make.dataset({ groups: [{ name: group.name }] });
    expect(await world.result('group_delete', { id: group.name }, { as: una })).toBeNull();
    expect(await world.result('group_list', {})).not.toContain(group.name);
    expect((await world.result('package_show', { id: dataset.id })).groups).toEqual([]);
    expect(await typeOf('group_show', { id: group.id })).toBe('Authorization Error');
    expect((await world.result('group_show', { id: group.id }, { as: una })).state).toBe('deleted');
    expect(await typeOf('group_create', { name: group.name }, una)).toBe('Validation Error');
    expect(await world.result('group_delete', { id: group.name }, { as: una })).toBeNull();
    await world.result('group_patch', { id: group.id, state: 'active' }, { as: una });
    expect((await world.result('package_show', { id: dataset.id })).groups).toMatchObject([{ id: group.id }]);
  });

  it('allows only admins, and reports an unknown or missing id', async () => {
    const group = await world.make.group({ members: { [una.id]: 'editor' } });
    expect(await typeOf('group_delete', { id: group.id }, una)).toBe('Authorization Error');
    expect(await typeOf('group_delete', { id: group.id })).toBe('Authorization Error');
    expect(await typeOf('group_delete', { id: 'nope' })).toBe('Not Found Error');
    expect(await typeOf('group_delete', {}, admin)).toBe('Validation Error');
  });
});

describe('organization_delete', () => {
  it('deletes the datasets of the organization, each with a history entry', async () => {
    const organization = await world.make.organization({ members: { [una.id]: 'admin' } });
    const owned = await world.make.dataset({ ownerOrganization: organization.id });
    const other = await world.make.dataset();
    await world.result('organization_delete', { id: organization.name }, { as: una });
    const after = await world.result('package_show', { id: owned.id }, { as: admin });
    expect(after).toMatchObject({ state: 'deleted', organization: null, owner_org: organization.id });
    expect(await world.result('package_list', {})).toEqual(expect.arrayContaining([other.name]));
    expect(await world.result('package_list', {})).not.toContain(owned.name);
    const kept = await world.database.db.datasetHistory.findFirst({
      where: { datasetId: owned.id, revisionId: after.revision_id },
    });
    expect(JSON.parse(kept!.document)).toMatchObject({ state: 'deleted' });
    expect(await world.database.db.change.count({ where: { objectId: owned.id, action: 'deleted' } })).toBe(1);
  });

  it('keeps the datasets when the organization is deleted by group_delete', async () => {
    const organization = await world.make.organization();
    const owned = await world.make.dataset({ ownerOrganization: organization.id });
    await world.result('group_delete', { id: organization.id }, { as: admin });
    expect((await world.result('package_show', { id: owned.id })).state).toBe('active');
    expect(await world.result('organization_list', {})).not.toContain(organization.name);
  });

  it('refuses groups', async () => {
    const group = await world.make.group();
    expect(await typeOf('organization_delete', { id: group.id }, admin)).toBe('Not Found Error');
  });
});

describe('purge', () => {
  it('removes a group permanently and frees its name', async () => {
    const group = await world.make.group({ members: { [una.id]: 'admin' } });
    const dataset = await world.make.dataset({ groups: [{ name: group.name }] });
    expect(await typeOf('group_purge', { id: group.id }, una)).toBe('Authorization Error');
    expect(await world.result('group_purge', { id: group.name }, { as: admin })).toBeNull();
    expect((await world.result('package_show', { id: dataset.id })).groups).toEqual([]);
    expect(await typeOf('group_purge', { id: group.name }, admin)).toBe('Not Found Error');
    expect((await world.result('group_create', { name: group.name }, { as: una })).id).not.toBe(group.id);
  });

  it('clears the owner of the datasets of an organization, and private ones stay private', async () => {
    const organization = await world.make.organization();
    const open = await world.make.dataset({ ownerOrganization: organization.id });
    const hidden = await world.make.dataset({ ownerOrganization: organization.id, private: true });
    expect(await typeOf('group_purge', { id: organization.id }, admin)).toBe('Not Found Error');
    await world.result('organization_purge', { id: organization.id }, { as: admin });
    expect(await world.result('package_show', { id: open.id })).toMatchObject({
      owner_org: null,
      organization: null,
      state: 'active',
    });
    expect(await typeOf('package_show', { id: hidden.id })).toBe('Authorization Error');
    expect((await world.result('package_show', { id: hidden.id }, { as: admin })).owner_org).toBeNull();
  });
});
