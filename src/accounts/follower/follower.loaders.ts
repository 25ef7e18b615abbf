import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { countFollowers, type FollowKey, followedAmong, keyText } from './follower.store.ts';

const options = { cacheKeyFn: keyText };

export const followerLoaders = ({ sql, actor }: Call) => ({
  /** Active users who follow an object. */
  followerCountByObject: new DataLoader<FollowKey, number, string>(async (keys) => {
    const counts = await countFollowers(sql, keys);
    return keys.map((key) => counts.get(keyText(key)) ?? 0);
  }, options),
  /** Whether the caller follows an object; nobody in particular follows nothing. */
  followedByCaller: new DataLoader<FollowKey, boolean, string>(async (keys) => {
    const followed = actor.userId === null ? new Set() : await followedAmong(sql, actor.userId, keys);
    return keys.map((key) => followed.has(keyText(key)));
  }, options),
});
