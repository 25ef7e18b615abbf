import { describe, expect, it } from '@jest/globals';
import {
  mayAddToOrganization,
  mayCreateDataset,
  mayFileUnder,
  mayLeaveUnowned,
  mayPurgeDataset,
  mayReadDataset,
  mayRelateDatasets,
  maySetOwner,
  mayUpdateDataset,
} from '../../../../src/catalog/dataset/dataset.policy.ts';
import type { DatasetFacts } from '../../../../src/catalog/document/record.ts';
import { type Actor, anonymous, type Capacity } from '../../../../src/kernel/call.ts';
import { settingsForTests } from '../../../../src/kernel/config.ts';

const strict = settingsForTests();
const open = settingsForTests({
  'catalog.auth.create_unowned_dataset': true,
  'catalog.auth.create_dataset_if_not_in_organization': true,
});
const nobody = anonymous('127.0.0.1');
const user = (id: string, capacity?: Capacity): Actor => ({
  ...nobody,
  userId: id,
  name: id,
  capacities: new Map(capacity ? [['org', capacity]] : []),
});
const sysadmin: Actor = { ...user('root'), sysadmin: true };
const owned = { id: 'd', state: 'active', private: false, ownerOrganizationId: 'org', creatorId: 'maker' };
const unowned = { ...owned, ownerOrganizationId: null };
const allowed = (reason: string | null): boolean => reason === null;

describe('mayReadDataset', () => {
  it.each([
    ['public', owned, { nobody: true, other: true, member: true, editor: true, sysadmin: true }],
    [
      'private',
      { ...owned, private: true },
      { nobody: false, other: false, member: true, editor: true, sysadmin: true },
    ],
    [
      'draft',
      { ...owned, state: 'draft' },
      { nobody: false, other: false, member: false, editor: true, sysadmin: true },
    ],
    [
      'deleted',
      { ...owned, state: 'deleted' },
      { nobody: false, other: false, member: true, editor: true, sysadmin: true },
    ],
    [
      'private without owner',
      { ...unowned, private: true },
      { nobody: false, other: false, member: false, editor: false, sysadmin: true },
    ],
  ])('%s', (_name, dataset, expected) => {
    const actors = {
      nobody,
      other: user('other'),
      member: user('member', 'member'),
      editor: user('editor', 'editor'),
      sysadmin,
    };
    expect(
      Object.fromEntries(
        Object.entries(actors).map(([name, actor]) => [name, allowed(mayReadDataset(actor, dataset, open))]),
      ),
    ).toEqual(expected);
  });

  it('shows unowned drafts to their creator', () => {
    expect(allowed(mayReadDataset(user('maker'), { ...unowned, state: 'draft' }, strict))).toBe(true);
    expect(allowed(mayReadDataset(user('other'), { ...unowned, state: 'draft' }, strict))).toBe(false);
  });
});

describe('mayUpdateDataset', () => {
  it('allows editors and admins of the owner, but not members or the creator', () => {
    const who = [user('a', 'admin'), user('e', 'editor'), user('m', 'member'), user('maker'), nobody, sysadmin];
    expect(who.map((actor) => allowed(mayUpdateDataset(actor, owned, open)))).toEqual([
      true,
      true,
      false,
      false,
      false,
      true,
    ]);
  });

  it('allows other signed-in users for unowned datasets only if the settings allow unowned datasets', () => {
    expect(allowed(mayUpdateDataset(user('other'), unowned, open))).toBe(true);
    expect(allowed(mayUpdateDataset(user('other'), unowned, strict))).toBe(false);
    expect(allowed(mayUpdateDataset(user('maker'), unowned, strict))).toBe(true);
    expect(allowed(mayUpdateDataset(nobody, unowned, open))).toBe(false);
  });

  it.each([{ private: true }, { state: 'draft' }, { state: 'deleted' }])(
    'allows only the creator and sysadmins for hidden unowned datasets (%j), with any settings',
    (hidden) => {
      const anybody = settingsForTests({ ...open, 'catalog.auth.anon_create_dataset': true });
      const dataset = { ...unowned, ...hidden };
      for (const settings of [open, strict, anybody])
        for (const [actor, may] of [
          [nobody, false],
          [user('other'), false],
          [user('other', 'admin'), false],
          [user('maker'), true],
          [sysadmin, true],
        ] as const)
          expect([actor.name, allowed(mayUpdateDataset(actor, dataset, settings))]).toEqual([actor.name, may]);
      // Anonymous callers do not count as the creator of an anonymously created dataset.
      expect(allowed(mayUpdateDataset(nobody, { ...dataset, creatorId: null }, anybody))).toBe(false);
    },
  );
});

describe('mayRelateDatasets', () => {
  const foreign = { ...owned, ownerOrganizationId: 'other' };
  const may = (actor: Actor, ...ends: [DatasetFacts, DatasetFacts]) => {
    const both = [ends, [ends[1], ends[0]] as typeof ends].map((pair) =>
      allowed(mayRelateDatasets(actor, pair, strict)),
    );
    expect(both[0]).toBe(both[1]); // the order of the pair does not matter
    return both[0];
  };
  const actors = [nobody, user('x'), user('m', 'member'), user('e', 'editor'), sysadmin];

  it('requires permission to change one dataset and to read the other, in either order', () => {
    expect(actors.map((actor) => may(actor, owned, foreign))).toEqual([false, false, false, true, true]);
    expect(actors.map((actor) => may(actor, owned, owned))).toEqual([false, false, false, true, true]);
  });

  it('denies users who may not read one of the datasets', () => {
    for (const hidden of [
      { ...foreign, private: true },
      { ...foreign, state: 'draft' },
      { ...foreign, state: 'deleted' },
    ])
      expect(actors.map((actor) => may(actor, owned, hidden))).toEqual([false, false, false, false, true]);
  });

  it('lets members relate a dataset they may read to one they may change', () => {
    const maker = { ...user('maker', 'member') };
    expect(may(maker, { ...owned, private: true }, unowned)).toBe(true);
    expect(may(user('maker'), { ...owned, private: true }, unowned)).toBe(false);
  });
});

it('lets sysadmins and editors of any organization create datasets, and others by setting', () => {
  expect(
    [nobody, user('x'), user('m', 'member'), user('e', 'editor'), sysadmin].map((actor) =>
      allowed(mayCreateDataset(actor, strict)),
    ),
  ).toEqual([false, false, false, true, true]);
  expect(allowed(mayCreateDataset(user('x'), open))).toBe(true);
  expect(allowed(mayCreateDataset(nobody, open))).toBe(false);
  const anybody = settingsForTests({ ...open, 'catalog.auth.anon_create_dataset': true });
  expect(allowed(mayCreateDataset(nobody, anybody))).toBe(true);
});

it('lets editors add to an organization, members add to a group, and sysadmins purge', () => {
  expect(
    [user('m', 'member'), user('e', 'editor')].map((actor) => allowed(mayAddToOrganization(actor, 'org'))),
  ).toEqual([false, true]);
  expect(
    [user('x'), user('m', 'member'), user('a', 'admin')].map((actor) => allowed(mayFileUnder(actor, ['org']))),
  ).toEqual([false, true, true]);
  expect(allowed(mayFileUnder(user('e', 'editor'), []))).toBe(true);
  expect([user('a', 'admin'), sysadmin].map((actor) => allowed(mayPurgeDataset(actor)))).toEqual([false, true]);
});

it('allows unowned datasets by setting, and lets only sysadmins set the owner separately', () => {
  const operator = { ...nobody, sysadmin: true };
  const actors = { nobody, editor: user('editor', 'editor'), sysadmin, operator };
  const told = (may: (actor: Actor) => boolean) =>
    Object.entries(actors).flatMap(([name, actor]) => (may(actor) ? name : []));
  expect(told((actor) => mayLeaveUnowned(actor, strict))).toEqual(['operator']);
  expect(told((actor) => allowed(maySetOwner(actor)))).toEqual(['sysadmin', 'operator']);
  expect(told((actor) => mayLeaveUnowned(actor, open))).toEqual(Object.keys(actors));
});
