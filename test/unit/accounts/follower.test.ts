import { describe, expect, it } from '@jest/globals';
import {
  mayAskWhetherFollowing,
  mayFollow,
  mayListFollowees,
  mayListFollowers,
  mayUnfollow,
} from '../../../src/accounts/follower/follower.policy.ts';
import { checkFollowable, checkFound, checkNew } from '../../../src/accounts/follower/follower.rules.ts';
import { type Actor, anonymous } from '../../../src/kernel/call.ts';

const nobody = anonymous('::1');
const ann: Actor = { ...nobody, userId: 'ann-id', name: 'ann' };
const admin: Actor = { ...nobody, userId: 'admin-id', name: 'admin', sysadmin: true };

describe('policy', () => {
  it('lets only signed-in users follow, unfollow and ask whether they follow', () => {
    for (const kind of ['USER', 'DATASET', 'GROUP'] as const) {
      expect(mayFollow(ann, kind)).toBeNull();
      expect(mayFollow(nobody, kind)).toMatch(/^You must be logged in to follow/);
    }
    expect([mayUnfollow(ann), mayAskWhetherFollowing(ann)]).toEqual([null, null]);
    expect([mayUnfollow(nobody), mayAskWhetherFollowing(nobody)]).toEqual([
      'You must be logged in to unfollow something.',
      '',
    ]);
  });

  it('shows followers only to system administrators, and followees also to their user', () => {
    expect([admin, ann, nobody].map(mayListFollowers)).toEqual([null, 'Not authorized', 'Not authorized']);
    expect([admin, ann, nobody].map((actor) => mayListFollowees(actor, 'ann-id'))).toEqual([
      null,
      null,
      'Not authorized',
    ]);
    expect([admin, ann, nobody].map((actor) => mayListFollowees(actor, null))).toEqual([
      null,
      'Not authorized',
      'Not authorized',
    ]);
  });
});

describe('rules', () => {
  it('distinguish a missing id from an unknown one', () => {
    expect(checkFound('', 'DATASET', false)).toEqual([{ path: ['id'], message: 'Missing value' }]);
    expect(checkFound('x', 'GROUP', false)).toEqual([{ path: ['id'], message: 'Not found: Group' }]);
    expect(checkFound('x', 'GROUP', true)).toEqual([]);
  });

  it('refuse following oneself, deleted objects and the same object twice', () => {
    expect(checkFollowable({ id: 'ann-id', state: 'active' }, 'USER', 'ann-id')).toHaveLength(1);
    expect(checkFollowable({ id: 'ann-id', state: 'active' }, 'DATASET', 'ann-id')).toEqual([]);
    expect(checkFollowable({ id: 'x', state: 'deleted' }, 'DATASET', 'ann-id')).toMatchObject([
      { message: 'Not found: Dataset' },
    ]);
    expect(checkNew(true, 'X')).toEqual([]);
    expect(checkNew(false, 'X')).toEqual([{ path: [], message: 'You are already following X' }]);
  });
});
