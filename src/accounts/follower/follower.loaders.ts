import DataLoader from 'dataloader';
import { readerOf } from '../../catalog/document/readable.ts';
import type { Call } from '../../kernel/call.ts';
import type { Keyset } from '../../kernel/connection.ts';
import { countsOfFollowees, type FolloweeChoice, type ListedFollowee, pagesOfFollowees } from './followee.sql.ts';
import { pagesOfFollowers } from './follower.sql.ts';
import { countFollowers, type FollowKey, followedAmong, keyText } from './follower.store.ts';

/** An object and the requested page of its followers. */
export type FollowerPage = FollowKey & { readonly page: Keyset };

const options = { cacheKeyFn: keyText };

/** A user, and a choice of what they follow. */
export type FolloweesOf = FolloweeChoice & { readonly id: string };
/** The same, with the requested page. */
export type FolloweePage = FolloweesOf & { readonly page: Keyset };

/** Results in request order; users with equal requests are read together. */
async function together<Wanted extends FolloweesOf, Row>(
  wanted: readonly Wanted[],
  read: (ids: string[], like: Wanted) => Promise<Row[]>,
  userOf: (row: Row) => string,
): Promise<Row[][]> {
  const same = ({ id: _id, ...rest }: Wanted) => JSON.stringify(rest);
  const groups = new Map<string, Wanted[]>();
  for (const one of wanted) groups.set(same(one), [...(groups.get(same(one)) ?? []), one]);
  const found = new Map<string, Row[]>();
  for (const [key, group] of groups)
    for (const row of await read([...new Set(group.map(({ id }) => id))], group[0]!)) {
      const place = `${userOf(row)} ${key}`;
      found.set(place, [...(found.get(place) ?? []), row]);
    }
  return wanted.map((one) => found.get(`${one.id} ${same(one)}`) ?? []);
}

export const followerLoaders = ({ db, sql, actor }: Call) => ({
  /** Ids of one follower more than the page's limit. Objects on one page of a list request the same page. */
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
  /** Objects that a user follows and the caller may read, by display name, one more than the page's limit. */
  followeePages: new DataLoader<FolloweePage, ListedFollowee[], string>(
    (wanted) =>
      together(
        wanted,
        (ids, like) => pagesOfFollowees(sql, ids, like, { ...like.page, limit: like.page.limit + 1 }, readerOf(actor)),
        ({ userId }) => userId,
      ),
    { cacheKeyFn: (wanted) => JSON.stringify(wanted) },
  ),
  /** Number of these objects. */
  followeeCounts: new DataLoader<FolloweesOf, number, string>(
    async (wanted) =>
      (
        await together(
          wanted,
          (ids, like) => countsOfFollowees(sql, ids, like, readerOf(actor)),
          ({ id }) => id,
        )
      ).map(([row]) => row?.n ?? 0),
    { cacheKeyFn: (wanted) => JSON.stringify(wanted) },
  ),
  /** Active followers of an object. */
  followerCountByObject: new DataLoader<FollowKey, number, string>(async (keys) => {
    const counts = await countFollowers(db, keys);
    return keys.map((key) => counts.get(keyText(key)) ?? 0);
  }, options),
  /** Whether the caller follows an object; false for anonymous callers. */
  followedByCaller: new DataLoader<FollowKey, boolean, string>(async (keys) => {
    const followed = actor.userId === null ? new Set() : await followedAmong(db, actor.userId, keys);
    return keys.map((key) => followed.has(keyText(key)));
  }, options),
});
