import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import type { Keyset } from '../../kernel/connection.ts';
import { countFollowers, type FollowKey, followedAmong, keyText, pagesOfFollowers } from './follower.store.ts';

/** An object and the page wanted of its followers. */
export type FollowerPage = FollowKey & { readonly page: Keyset };

const options = { cacheKeyFn: keyText };

export const followerLoaders = ({ sql, actor }: Call) => ({
  /** Ids of one follower more than the page's limit. Objects of one page of a list ask for the same page. */
  followerPages: new DataLoader<FollowerPage, string[], string>(
    async (wanted) => {
      const pages = new Map<string, Map<string, string[]>>();
      for (const { page } of wanted) {
        const same = JSON.stringify(page);
        if (pages.has(same)) continue;
        const keys = wanted.filter((other) => JSON.stringify(other.page) === same);
        pages.set(same, await pagesOfFollowers(sql, keys, page.after?.map(String) ?? null, page.limit + 1));
      }
      return wanted.map((key) => pages.get(JSON.stringify(key.page))!.get(keyText(key)) ?? []);
    },
    { cacheKeyFn: (key) => `${keyText(key)} ${JSON.stringify(key.page)}` },
  ),
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
