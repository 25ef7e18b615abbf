import DataLoader from 'dataloader';
import { readerOf } from '../../catalog/document/readable.ts';
import type { Call } from '../../kernel/call.ts';
import type { Keyset } from '../../kernel/connection.ts';
import { countsOfFollowees, type FolloweeChoice, type ListedFollowee, pagesOfFollowees } from './followee.sql.ts';
import { countFollowers, pagesOfFollowers } from './follower.sql.ts';
import { type FollowKey, followedAmong, keyText } from './follower.store.ts';

/** An object and the requested page of its followers. */
export type FollowerPage = FollowKey & { readonly page: Keyset };

const options = { cacheKeyFn: keyText };

/** A user, and a choice of what they follow. */
export type FolloweesOf = FolloweeChoice & { readonly id: string };
/** The same, with the requested page. */
export type FolloweePage = FolloweesOf & { readonly page: Keyset };

/** Results in request order; users with equal requests are read together. */
async function together<Requested extends FolloweesOf, Row>(
  requested: readonly Requested[],
  read: (ids: string[], like: Requested) => Promise<Row[]>,
  userOf: (row: Row) => string,
): Promise<Row[][]> {
  const same = ({ id: _id, ...rest }: Requested) => JSON.stringify(rest);
  const groups = new Map<string, Requested[]>();
  for (const one of requested) groups.set(same(one), [...(groups.get(same(one)) ?? []), one]);
  const found = new Map<string, Row[]>();
  for (const [key, group] of groups)
    for (const row of await read([...new Set(group.map(({ id }) => id))], group[0]!)) {
      const slot = `${userOf(row)} ${key}`;
      found.set(slot, [...(found.get(slot) ?? []), row]);
    }
  return requested.map((one) => found.get(`${one.id} ${same(one)}`) ?? []);
}

export const followerLoaders = ({ sql, actor }: Call) => ({
  /** Ids of one follower more than the page's limit. Objects on one page of a list request the same page. */
  followerPages: new DataLoader<FollowerPage, string[], string>(
    async (requested) => {
      const pages = new Map<string, Map<string, string[]>>();
      for (const { page } of requested) {
        const same = JSON.stringify(page);
        if (pages.has(same)) continue;
        const keys = requested.filter((other) => JSON.stringify(other.page) === same);
        pages.set(same, await pagesOfFollowers(sql, keys, page));
      }
      return requested.map((key) => pages.get(JSON.stringify(key.page))!.get(keyText(key)) ?? []);
    },
    { cacheKeyFn: (key) => `${keyText(key)} ${JSON.stringify(key.page)}` },
  ),
  /** Objects that a user follows and the caller may read, by display name, one more than the page's limit. */
  followeePages: new DataLoader<FolloweePage, ListedFollowee[], string>(
    (requested) =>
      together(
        requested,
        (ids, like) => pagesOfFollowees(sql, ids, like, readerOf(actor), like.page),
        ({ userId }) => userId,
      ),
    { cacheKeyFn: (requested) => JSON.stringify(requested) },
  ),
  /** Number of these objects. */
  followeeCounts: new DataLoader<FolloweesOf, number, string>(
    async (requested) =>
      (
        await together(
          requested,
          (ids, like) => countsOfFollowees(sql, ids, like, readerOf(actor)),
          ({ id }) => id,
        )
      ).map(([row]) => row?.n ?? 0),
    { cacheKeyFn: (requested) => JSON.stringify(requested) },
  ),
  /** Active followers of an object. */
  followerCountByObject: new DataLoader<FollowKey, number, string>(async (keys) => {
    const counts = await countFollowers(sql, keys);
    return keys.map((key) => counts.get(keyText(key)) ?? 0);
  }, options),
  /** Whether the caller follows an object; false for anonymous callers. */
  followedByCaller: new DataLoader<FollowKey, boolean, string>(async (keys) => {
    const followed = actor.userId === null ? new Set() : await followedAmong(sql, actor.userId, keys);
    return keys.map((key) => followed.has(keyText(key)));
  }, options),
});
