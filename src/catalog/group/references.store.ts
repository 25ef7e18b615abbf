/** Finds users, groups and datasets in a group's input. Locks a group before it changes. */

import type { Group } from '../../generated/prisma/client.ts';
import { readerBy } from '../../infra/postgres/by-keys.sql.ts';
import { lockRow, lockRows } from '../../infra/postgres/row-lock.sql.ts';
import type { Call } from '../../kernel/call.ts';
import { GROUP_SELECT, type GroupRecord } from './group.store.ts';
import { lockDatasetsOf, readableDatasets } from './references.sql.ts';

type Databases = Pick<Call, 'db' | 'sql'>;
type Ref = Readonly<Pick<Group, 'id' | 'name'>>;

const select = { id: true, name: true } as const;
const named = { fields: select, by: ['id', 'name'] };
const readUsers = readerBy<Ref>({ ...named, table: 'user_account' });
const readGroups = readerBy<Ref>({ ...named, table: 'group_account', and: ['state'] });

/** Ids by id and by name; an id wins. */
const byRef = (rows: readonly Ref[]): Map<string, string> =>
  new Map([...rows.map((row) => [row.name, row.id] as const), ...rows.map((row) => [row.id, row.id] as const)]);

/** Users by id and by name, including invited ones, locked against deletion; an id wins. */
export async function requestedUsers({ db, sql }: Databases, refs: readonly string[]): Promise<Map<string, string>> {
  const found = refs.length === 0 ? [] : (await readUsers(sql, refs)).map(({ id }) => id);
  const locked = found.length === 0 ? [] : await lockRows(sql, 'user_account', found, 'KEY SHARE');
  if (locked.length === 0) return new Map();
  return byRef(await db.user.findMany({ where: { id: { in: locked }, state: { not: 'deleted' } }, select }));
}

/** Active groups and organizations by id and by name; an id wins. */
export const requestedParents = async ({ sql }: Databases, refs: readonly string[]): Promise<Map<string, string>> =>
  byRef(refs.length === 0 ? [] : await readGroups(sql, refs, 'active'));

/** Datasets by id and by name that the reader (readerOf) may read; an id wins. */
export const requestedDatasets = async (
  { sql }: Databases,
  refs: readonly string[],
  reader: readonly unknown[],
): Promise<Map<string, string>> => byRef(refs.length === 0 ? [] : await readableDatasets(sql, refs, reader));

/**
 * Locks a group until the transaction ends; before it, locks its datasets and `refs`, as writes of datasets do, which
 * prevents deadlocks. Null if the group was deleted.
 */
export async function lockGroup(
  { db, sql }: Databases,
  id: string,
  refs: readonly string[] = [],
): Promise<GroupRecord | null> {
  await lockDatasetsOf(sql, id, refs);
  return (await lockRow(sql, 'group_account', id))
    ? db.group.findUnique({ where: { id }, select: GROUP_SELECT })
    : null;
}
