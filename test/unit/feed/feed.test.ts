import { describe, expect, it } from '@jest/globals';
import { mayReadAs } from '../../../src/feed/feed.policy.ts';
import { visibleChange } from '../../../src/feed/feed.rules.ts';
import { type Actor, anonymous, type Capacity } from '../../../src/kernel/call.ts';
import { settingsForTests } from '../../../src/kernel/config.ts';
import type { LoggedChange, Readers } from '../../../src/kernel/feed.ts';

const settings = settingsForTests({});
const nobody = anonymous('192.0.2.1');
const user = (id: string, capacity?: Capacity): Actor => ({
  ...nobody,
  userId: id,
  name: id,
  capacities: new Map(capacity ? [['office', capacity]] : []),
});
const CAST: Record<string, Actor> = {
  nobody,
  other: user('other'),
  member: user('member', 'member'),
  editor: user('editor', 'editor'),
  boss: { ...user('boss'), sysadmin: true },
};
const dataset = (fields: object = {}): Readers => ({
  of: 'dataset',
  id: 'd',
  state: 'active',
  private: false,
  ownerOrganizationId: 'office',
  creatorId: 'editor',
  ...fields,
});
const OPEN = dataset();
const SECRET = dataset({ private: true });
const DELETED = dataset({ state: 'deleted' });

const whoReads = (readers: Readers): string[] =>
  Object.keys(CAST).filter((role) => mayReadAs(CAST[role]!, readers, settings) === null);

describe('mayReadAs applies the read policies', () => {
  it.each([
    ['an open dataset', OPEN, ['nobody', 'other', 'member', 'editor', 'boss']],
    ['a private one', SECRET, ['member', 'editor', 'boss']],
    ['a deleted one', DELETED, ['member', 'editor', 'boss']],
    ['a draft', dataset({ state: 'draft' }), ['editor', 'boss']],
    ['an unknown object', null, ['boss']],
    ['a public object', { of: 'anybody' }, ['nobody', 'other', 'member', 'editor', 'boss']],
    [
      'a group',
      { of: 'group', id: 'office', state: 'active', isOrganization: true },
      ['nobody', 'other', 'member', 'editor', 'boss'],
    ],
    [
      'a deleted group',
      { of: 'group', id: 'office', state: 'deleted', isOrganization: true },
      ['member', 'editor', 'boss'],
    ],
    ['a user', { of: 'user', id: 'other', state: 'active' }, ['nobody', 'other', 'member', 'editor', 'boss']],
    ['a deleted user', { of: 'user', id: 'other', state: 'deleted' }, ['other', 'boss']],
  ] as [string, Readers, string[]][])('%s', (_what, readers, expected) => {
    expect(whoReads(readers)).toEqual(expected);
  });
});

/** The change that each role of the cast sees: the operation, and `gone` if the object is no longer readable. */
function toldTo(change: Partial<LoggedChange> & { now?: Readers }): Record<string, string | null> {
  const { now = change.after === undefined ? OPEN : change.after, ...rest } = change;
  const logged: LoggedChange = {
    position: 1,
    at: new Date(0),
    objectType: 'dataset',
    objectId: 'd',
    action: 'updated',
    actorId: 'editor',
    revisionId: 'r',
    datasetId: 'd',
    label: 'old-name',
    groups: [],
    before: OPEN,
    after: OPEN,
    subject: { readers: now, name: 'name' },
    ...rest,
  };
  return Object.fromEntries(
    Object.entries(CAST).map(([role, actor]) => {
      const told = visibleChange(logged, (readers) => mayReadAs(actor, readers, settings) === null);
      if (told?.isGone) expect(told).toMatchObject({ name: null, datasetId: null, actorId: null, revisionId: null });
      return [role, told && `${told.operation}${told.isGone ? ' gone' : ` ${told.name}`}`];
    }),
  );
}
const all = (word: string | null, exceptions: object = {}) => ({
  ...Object.fromEntries(Object.keys(CAST).map((role) => [role, word])),
  ...exceptions,
});
const members = (word: string | null) => ({ member: word, editor: word, boss: word });

describe('visibleChange', () => {
  it.each([
    ['a change of what is open', {}, all('UPDATED name')],
    ['one turned private', { after: SECRET }, all('HIDDEN gone', members('UPDATED name'))],
    ['one opened', { before: SECRET, after: OPEN }, all('CREATED name', members('UPDATED name'))],
    ['one made private', { before: null, after: SECRET, action: 'created' }, all(null, members('CREATED name'))],
    ['one that was open then and is private now', { now: SECRET }, all(null, members('UPDATED name'))],
    ['one deleted', { action: 'deleted', after: DELETED }, all('DELETED gone', members('DELETED name'))],
    [
      'a private one deleted',
      { action: 'deleted', before: SECRET, after: DELETED },
      all(null, members('DELETED name')),
    ],
    [
      'a deleted one purged',
      { action: 'purged', before: DELETED, after: null },
      all(null, { ...members('PURGED gone'), boss: 'PURGED name' }),
    ],
    [
      'one restored',
      { action: 'restored', before: DELETED, after: OPEN },
      all('CREATED name', members('RESTORED name')),
    ],
    ['a note about one', { action: 'noted' }, all(null)],
  ] as [string, object, object][])('%s', (_what, change, expected) => {
    expect(toldTo(change)).toEqual(expected);
  });

  it('shows objects of a dataset to its readers, under their own names', () => {
    expect(toldTo({ objectType: 'view', objectId: 'v' })).toEqual(all('UPDATED old-name'));
    expect(toldTo({ objectType: 'view', objectId: 'v', now: SECRET })).toEqual(all(null, members('UPDATED old-name')));
  });
});
