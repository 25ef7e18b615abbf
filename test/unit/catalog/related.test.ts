import { describe, expect, it } from '@jest/globals';
import { mayRate } from '../../../src/catalog/rating/rating.policy.ts';
import { checkRating } from '../../../src/catalog/rating/rating.rules.ts';
import {
  mayCreateRelated,
  mayDeleteRelated,
  mayFeatureRelated,
  mayUpdateRelated,
} from '../../../src/catalog/related/related.policy.ts';
import { checkRelated, checkRelatedId } from '../../../src/catalog/related/related.rules.ts';
import { mayTranslate } from '../../../src/catalog/translation/translation.policy.ts';
import { type Actor, anonymous } from '../../../src/kernel/call.ts';

const nobody = anonymous('::1');
const ann: Actor = { ...nobody, userId: 'ann-id', name: 'ann' };
const admin: Actor = { ...nobody, userId: 'admin-id', name: 'admin', sysadmin: true };

describe('policy', () => {
  it('lets signed-in users add items and rate, and only sysadmins feature and translate', () => {
    expect([admin, ann, nobody].map((actor) => mayCreateRelated(actor, false) === null)).toEqual([true, true, false]);
    expect([admin, ann, nobody].map((actor) => mayCreateRelated(actor, true) === null)).toEqual([true, false, false]);
    expect([admin, ann, nobody].map((actor) => mayFeatureRelated(actor) === null)).toEqual([true, false, false]);
    expect([admin, ann, nobody].map((actor) => mayTranslate(actor) === null)).toEqual([true, false, false]);
    expect([admin, ann, nobody].map((actor) => mayRate(actor) === null)).toEqual([true, true, false]);
  });

  it('lets only the owner and sysadmins change an item, and only sysadmins an item without an owner', () => {
    for (const [ownerId, allowed] of [
      ['ann-id', [true, true, false]],
      ['bob-id', [true, false, false]],
      [null, [true, false, false]],
    ] as const) {
      expect([admin, ann, nobody].map((actor) => mayUpdateRelated(actor, { ownerId }) === null)).toEqual(allowed);
      expect([admin, ann, nobody].map((actor) => mayDeleteRelated(actor, { ownerId }, false) === null)).toEqual(
        allowed,
      );
    }
    expect([ann, nobody].map((actor) => mayDeleteRelated(actor, { ownerId: 'x' }, true) === null)).toEqual([
      true,
      false,
    ]);
  });
});

describe('rules', () => {
  const faulty = (fields: object) => checkRelated(fields).map(({ path }) => path[0]);
  it('refuse an empty title or type, and invalid URLs', () => {
    expect(faulty({})).toEqual([]);
    expect(faulty({ title: '', type: null, url: null, imageUrl: '' })).toEqual(['title', 'type']);
    for (const url of ['http://a.example', 'HTTPS://a.example/ä?q=1#x', 'http://127.0.0.1:80/'])
      expect(faulty({ url })).toEqual([]);
    for (const url of [
      'x',
      'ftp://a',
      'javascript:alert(1)',
      'http://',
      'http:// a',
      'http://u:p@a.example',
      ' http://a',
    ])
      expect(faulty({ imageUrl: url })).toEqual(['imageUrl']);
  });

  it('refuse invalid or taken ids, and ratings outside 1 to 5', () => {
    expect(['x', '', 'x'.repeat(101)].map((id) => checkRelatedId(id, false).length)).toEqual([0, 1, 1]);
    expect(checkRelatedId('x', true)).toHaveLength(1);
    expect([0, 1, 5, 6].map((rating) => checkRating(rating).length)).toEqual([1, 0, 0, 1]);
  });
});
