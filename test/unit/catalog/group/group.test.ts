import { describe, expect, it } from '@jest/globals';
import { documentsDiffer, draftLists, draftRow, rowDiffers } from '../../../../src/catalog/group/group.draft.ts';
import {
  capacityOf,
  groupsGranting,
  mayChangeMembers,
  mayChangeRoles,
  mayCreateGroup,
  mayDeleteGroup,
  mayListDeletedGroups,
  mayPurgeGroup,
  mayReadGroup,
  mayUpdateGroup,
} from '../../../../src/catalog/group/group.policy.ts';
import { checkExtras, checkGroupId, checkGroupName, checkWord } from '../../../../src/catalog/group/group.rules.ts';
import type { GroupRecord } from '../../../../src/catalog/group/group.store.ts';
import {
  checkCapacity,
  isMemberKind,
  isRole,
  rolesOf,
  unknownKind,
} from '../../../../src/catalog/group/member.rules.ts';
import { type Actor, anonymous, type Capacity } from '../../../../src/kernel/call.ts';
import { settingsForTests } from '../../../../src/kernel/config.ts';

const visitor = anonymous('test');
const user: Actor = { ...visitor, userId: 'u', name: 'una' };
const sysadmin: Actor = { ...user, sysadmin: true };
const group = { id: 'g', isOrganization: false, state: 'active' };
const organization = { ...group, isOrganization: true };
const CAPACITIES = ['admin', 'editor', 'member', 'public', null] as const;
const allowed = (may: (capacity: string | null) => string | null) =>
  CAPACITIES.filter((capacity) => may(capacity) === null);

describe('policy', () => {
  it('lets everyone read active groups, and only members and sysadmins read deleted ones', () => {
    const deleted = { ...group, state: 'deleted' };
    expect(mayReadGroup(visitor, group, null)).toBeNull();
    expect(allowed((capacity) => mayReadGroup(user, deleted, capacity))).toEqual(['admin', 'editor', 'member']);
    expect(mayReadGroup(sysadmin, deleted, null)).toBeNull();
    expect(mayReadGroup(visitor, deleted, null)).toBe('Visitors are not authorized to read group');
  });

  it('lets users create groups or organizations only if the setting for that kind allows it', () => {
    const closed = settingsForTests();
    const groups = settingsForTests({ 'catalog.auth.user_create_groups': true });
    expect(mayCreateGroup(user, false, closed)).toBe('User una not authorized to create groups');
    expect(mayCreateGroup(user, false, groups)).toBeNull();
    expect(mayCreateGroup(user, true, groups)).toBe('User una not authorized to create organizations');
    expect(mayCreateGroup(visitor, false, groups)).not.toBeNull();
    expect(mayCreateGroup(sysadmin, true, closed)).toBeNull();
  });

  it('lets only admins update and delete groups and change roles', () => {
    const settings = settingsForTests();
    const kept = settingsForTests({ 'catalog.auth.user_delete_groups': false });
    expect(allowed((capacity) => mayUpdateGroup(user, group, capacity))).toEqual(['admin']);
    expect(allowed((capacity) => mayChangeRoles(user, capacity))).toEqual(['admin']);
    expect(allowed((capacity) => mayDeleteGroup(user, group, capacity, settings))).toEqual(['admin']);
    expect(allowed((capacity) => mayDeleteGroup(user, group, capacity, kept))).toEqual([]);
    expect(mayDeleteGroup(user, organization, 'admin', kept)).toBeNull();
    expect(mayDeleteGroup(sysadmin, group, null, kept)).toBeNull();
    for (const policy of [mayPurgeGroup, mayListDeletedGroups])
      expect([policy(user), policy(sysadmin)]).toEqual([expect.any(String), null]);
  });

  it('lets every member add datasets to a group, but not to an organization', () => {
    expect(allowed((capacity) => mayChangeMembers(user, group, capacity, 'dataset'))).toEqual([
      'admin',
      'editor',
      'member',
    ]);
    expect(allowed((capacity) => mayChangeMembers(user, organization, capacity, 'dataset'))).toEqual(['admin']);
    expect(allowed((capacity) => mayChangeMembers(user, group, capacity, 'user'))).toEqual(['admin']);
  });

  it('lists the groups where a capacity grants a permission, and ignores unknown capacities', () => {
    const capacities = new Map(Object.entries({ a: 'admin', e: 'editor', m: 'member', p: 'public' })) as Map<
      string,
      Capacity
    >;
    const actor: Actor = { ...user, capacities };
    expect(groupsGranting(actor, 'READ')).toEqual(['a', 'e', 'm']);
    expect(groupsGranting(actor, 'CREATE_DATASET')).toEqual(['a', 'e']);
    expect(groupsGranting(actor, 'ADMIN')).toEqual(['a']);
    expect(['a', 'm', 'x'].map((id) => capacityOf(actor, id))).toEqual(['admin', 'member', null]);
    expect(capacityOf(sysadmin, 'x')).toBe('admin');
  });
});

describe('rules', () => {
  it.each([
    ['', 'Missing value'],
    [null, 'Missing value'],
    ['a', 'Must be at least 2 characters long'],
    ['x'.repeat(101), 'Name must be a maximum of 100 characters long'],
    ['new', 'That name cannot be used'],
    ['Bad Name', 'Must be purely lowercase alphanumeric (ascii) characters and these symbols: -_'],
    ['größe', 'Must be purely lowercase alphanumeric (ascii) characters and these symbols: -_'],
    ['x'.repeat(100), null],
    ['a-b_c1', null],
  ])('check the new name %j', (name, reason) => {
    expect(checkGroupName(name, true)).toBe(reason);
  });

  it('allow capital letters in a changed name, but no other characters', () => {
    expect(checkGroupName('BAD', true)).not.toBeNull();
    expect(checkGroupName('BAD', false)).toBeNull();
    expect(checkGroupName('a/b', false)).not.toBeNull();
  });

  it('check ids, words and extras', () => {
    expect(checkGroupId('own-id_1')).toBeNull();
    expect([checkGroupId('x'), checkGroupId('a b'), checkGroupId('x'.repeat(101))]).not.toContain(null);
    expect(checkWord(['type'], 'x'.repeat(100))).toEqual([]);
    expect(checkWord(['type'], 'x'.repeat(101))).toEqual([{ path: ['type'], message: expect.any(String) }]);
    expect(checkExtras([{ key: 'a' }, { key: '' }])).toEqual([
      { path: ['extras', 1, 'key'], message: 'Missing value' },
    ]);
  });

  it('list roles, and recognize roles and kinds of members', () => {
    expect(rolesOf('group').map(({ value }) => value)).toEqual(['admin', 'member']);
    expect(rolesOf(null).map(({ value }) => value)).toEqual(['admin', 'editor', 'member']);
    expect([isRole('editor'), isRole('public'), isMemberKind('dataset'), isMemberKind('package')]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect(unknownKind('bogus')).toEqual({ path: [], message: "Bogus isn't a valid model" });
    expect(checkCapacity('')).toEqual([{ path: ['capacity'], message: 'Missing value' }]);
  });
});

describe('draft', () => {
  const stored: GroupRecord = {
    id: 'g',
    name: 'old',
    title: 'Old',
    description: 'd',
    imageUrl: 'i',
    type: 'theme',
    isOrganization: false,
    approvalStatus: 'approved',
    state: 'active',
    createdAt: new Date(0),
    revisionId: 'r',
    version: 3,
  };
  const blank = { ...stored, id: '', name: '', title: '', description: '', imageUrl: '', type: 'group', version: 0 };

  it('keeps omitted texts and clears texts set to null', () => {
    expect(draftRow({ title: null }, blank, stored, true)).toEqual({ ...stored, title: '' });
    expect(draftRow({}, blank, stored, true)).toEqual(stored);
  });

  it('sets the type only at creation, and never for an organization', () => {
    expect(draftRow({ name: 'n', type: 'x' }, blank, null, true).type).toBe('x');
    expect(draftRow({ type: 'x' }, blank, stored, true).type).toBe('theme');
    expect(
      draftRow({ name: 'n', type: 'x' }, { ...blank, type: 'organization', isOrganization: true }, null, true).type,
    ).toBe('organization');
  });

  it('ignores a state that the caller may not set', () => {
    expect(draftRow({ name: 'n', state: 'deleted' }, blank, null, false).state).toBe('active');
    expect(draftRow({ name: 'n', state: 'deleted' }, blank, null, true).state).toBe('deleted');
  });

  it('empties omitted lists, except in a patch', () => {
    expect(draftLists({}, 'replace', false)).toEqual({ extras: [], users: [], parents: [], datasets: [] });
    expect(draftLists({}, 'patch', false)).toEqual({ extras: null, users: null, parents: null, datasets: null });
    expect(draftLists({ users: null }, 'patch', false).users).toEqual([]);
    expect(draftLists({ datasets: [{ id: 'd' }] }, 'replace', true).datasets).toBeNull();
  });

  it('detects changes of the row and of its documents', () => {
    expect(rowDiffers(stored, { ...stored, version: 9, revisionId: 'x' })).toBe(false);
    const approved = { ...stored, approvalStatus: 'pending' };
    expect([rowDiffers(stored, approved), documentsDiffer(stored, approved)]).toEqual([true, false]);
    expect(documentsDiffer({ ...stored, isOrganization: true }, { ...approved, isOrganization: true })).toBe(true);
  });
});
