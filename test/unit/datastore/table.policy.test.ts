/** Permissions to read and change DataStore tables. */
import { describe, expect, it } from '@jest/globals';
import { mayReadTable, mayWriteTable } from '../../../src/datastore/tables/table.policy.ts';
import { type Actor, anonymous, type Capacity } from '../../../src/kernel/call.ts';
import { settingsForTests } from '../../../src/kernel/config.ts';

const safe = settingsForTests();
const open = settingsForTests({ 'catalog.datastore.hide_private': false });
const nobody = anonymous('192.0.2.1');
const signedIn = (name: string, capacity?: Capacity): Actor => ({
  ...nobody,
  userId: name,
  name,
  capacities: new Map(capacity ? [['office', capacity]] : []),
});
const CAST = [
  nobody,
  signedIn('other'),
  signedIn('member', 'member'),
  signedIn('editor', 'editor'),
  { ...signedIn('boss'), sysadmin: true },
  { ...nobody, name: 'operator', sysadmin: true },
];
const EVERYBODY = [null, 'other', 'member', 'editor', 'boss', 'operator'];
const MEMBERS = EVERYBODY.slice(2);
const EDITORS = EVERYBODY.slice(3);
const dataset = { id: 'd', state: 'active', private: false, ownerOrganizationId: 'office', creatorId: null };
const facts = { resourceId: 'r', active: true, urlType: null, dataset, hidden: false };
const passing = (policy: (actor: Actor) => string | null) =>
  CAST.filter((actor) => policy(actor) === null).map(({ name }) => name);

describe('mayReadTable', () => {
  it.each([
    ['public', facts, EVERYBODY, EVERYBODY],
    ['made private', { ...facts, hidden: true }, MEMBERS, MEMBERS],
    ['of a private dataset', { ...facts, dataset: { ...dataset, private: true } }, MEMBERS, EVERYBODY],
    ['of a draft', { ...facts, dataset: { ...dataset, state: 'draft' } }, EDITORS, EDITORS],
    ['of a deleted dataset', { ...facts, dataset: { ...dataset, state: 'deleted' } }, MEMBERS, MEMBERS],
  ])('%s', (_, owner, bySafe, byOpen) => {
    expect(passing((actor) => mayReadTable(actor, owner, safe))).toEqual(bySafe);
    expect(passing((actor) => mayReadTable(actor, owner, open))).toEqual(byOpen);
  });

  it('mentions the resource in the refusal', () => {
    expect(mayReadTable(nobody, { ...facts, hidden: true }, safe)).toContain('not authorized to read resource');
  });
});

describe('mayWriteTable', () => {
  it('allows users who may change the dataset, also for hidden tables and private datasets', () => {
    for (const owner of [facts, { ...facts, hidden: true }, { ...facts, dataset: { ...dataset, private: true } }])
      for (const settings of [safe, open])
        expect(passing((actor) => mayWriteTable(actor, owner, settings))).toEqual(EDITORS);
    expect(mayWriteTable(signedIn('other'), facts, safe)).toContain('not authorized to edit resource r');
  });

  it('requires sign-in even where anonymous callers may create datasets', () => {
    const anybody = settingsForTests({
      'catalog.auth.anon_create_dataset': true,
      'catalog.auth.create_unowned_dataset': true,
      'catalog.auth.create_dataset_if_not_in_organization': true,
    });
    const unowned = { ...facts, dataset: { ...dataset, ownerOrganizationId: null } };
    expect(passing((actor) => mayWriteTable(actor, unowned, anybody))).toEqual(EVERYBODY.slice(1));
    expect(mayWriteTable(nobody, unowned, anybody)).toContain('sign in');
  });
});
