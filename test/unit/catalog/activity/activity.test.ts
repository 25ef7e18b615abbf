import { describe, expect, it } from '@jest/globals';
import { mayNoteActivity, mayReadDashboard } from '../../../../src/catalog/activity/activity.policy.ts';
import { checkData, checkNoted, kindOf, typeOf } from '../../../../src/catalog/activity/activity.rules.ts';
import type { ActivityRow } from '../../../../src/catalog/activity/activity.sql.ts';
import { detailsOf } from '../../../../src/catalog/activity/details.ts';
import type { DatasetBody } from '../../../../src/catalog/document/record.ts';
import { type Actor, anonymous } from '../../../../src/kernel/call.ts';

const nobody = anonymous('::1');
const ann: Actor = { ...nobody, userId: 'ann-id', name: 'ann' };
const admin: Actor = { ...ann, sysadmin: true };

describe('policy', () => {
  it('lets only system administrators write activities', () => {
    expect([nobody, ann, admin].map((actor) => mayNoteActivity(actor) === null)).toEqual([false, false, true]);
  });

  it('shows a dashboard only to its user', () => {
    expect([null, 'ann', 'ann-id'].map((asked) => mayReadDashboard(ann, asked))).toEqual([null, null, null]);
    expect(mayReadDashboard(admin, 'eve')).toBe('You may only access your own dashboard.');
    expect(mayReadDashboard(nobody, null)).toBe('You must be logged in to access your dashboard.');
  });
});

describe('rules', () => {
  it('derive the type of an activity and the kind of its object', () => {
    const log = { objectType: 'dataset', action: 'restored', detail: {} } as const;
    expect(typeOf(log)).toBe('DATASET_CHANGED');
    expect(typeOf({ ...log, detail: { published: true } })).toBe('DATASET_CREATED');
    expect(typeOf({ ...log, detail: { noted: { type: 'USER_FOLLOWED', data: {} } } })).toBe('USER_FOLLOWED');
    expect(typeOf({ objectType: 'organization', action: 'deleted', detail: {} })).toBe('ORGANIZATION_DELETED');
    expect((['DATASET_FOLLOWED', 'USER_CREATED', 'ORGANIZATION_CREATED'] as const).map(kindOf)).toEqual([
      'DATASET',
      'USER',
      'GROUP',
    ]);
  });

  it('require an object as data, and an existing user and object', () => {
    expect([undefined, null, {}, { a: 1 }].flatMap(checkData)).toEqual([]);
    expect(['x', 1, [], true].map((data) => checkData(data).length)).toEqual([1, 1, 1, 1]);
    expect(checkNoted(null, {}, 'GROUP')).toEqual([{ path: ['userId'], message: 'Not found: User' }]);
    expect(checkNoted({}, null, 'GROUP')).toEqual([{ path: ['objectId'], message: 'Not found: Group' }]);
  });
});

describe('details', () => {
  const body = (parts: Partial<DatasetBody>): DatasetBody =>
    ({
      id: 'd',
      title: 'D',
      private: false,
      state: 'active',
      revision_id: 'r0',
      resources: [],
      tags: [],
      extras: [],
      ...parts,
    }) as DatasetBody;
  const activity = (action: string) => ({ id: 'a', action, writtenBy: 'r1' }) as ActivityRow;
  const told = (action: string, before: DatasetBody | null, after: DatasetBody) =>
    detailsOf(activity(action), { before, after }).map(({ piece, change, title }) => `${piece} ${change} ${title}`);
  const extras = [
    { key: 'a', value: '1' },
    { key: 'b', value: '2' },
  ];

  it('list each changed part of a dataset', () => {
    const after = body({
      extras: [
        { key: 'b', value: '3' },
        { key: 'c', value: '' },
      ],
      revision_id: 'r1',
    });
    expect(told('updated', body({ extras }), after)).toEqual([
      'DATASET CHANGED D',
      'EXTRA CHANGED b',
      'EXTRA CREATED c',
      'EXTRA DELETED a',
    ]);
    expect(told('deleted', body({}), body({ state: 'deleted', revision_id: 'r1' }))).toEqual(['DATASET DELETED D']);
  });

  it('are empty if the previous version was not public or is unknown', () => {
    for (const before of [body({ extras, private: true }), body({ extras, state: 'draft' }), null])
      expect(told('updated', before, body({}))).toEqual([]);
  });

  it('have unique, stable ids', () => {
    const ids = () =>
      detailsOf(activity('created'), { before: null, after: body({ extras }) }).map((it) => it.databaseId);
    expect(ids()).toEqual(ids());
    expect(new Set(ids()).size).toBe(2);
  });
});
