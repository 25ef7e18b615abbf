/** Finds users, groups and datasets that a group's input names. Locks a group before it changes. */
import { inBatches } from '../../kernel/batches.ts';
import type { Call } from '../../kernel/call.ts';
import type { Db } from '../../kernel/db.ts';
import { lockRow, lockRows } from '../../kernel/lock.sql.ts';
import { GROUP_SELECT, type GroupRecord } from './group.store.ts';
import { lockDatasetsOf, readableDatasets } from './wanted.sql.ts';

type Databases = Pick<Call, 'db' | 'sql'>;
interface Ref {
  readonly id: string;
  readonly name: string;
}

const select = { id: true, name: true };
const named = (refs: string[]) => ({ OR: [{ id: { in: refs } }, { name: { in: refs } }] });

/** Ids by id and by name; an id wins. */
const byRef = (rows: readonly Ref[]): Map<string, string> =>
  new Map([...rows.map((row) => [row.name, row.id] as const), ...rows.map((row) => [row.id, row.id] as const)]);

/** Users by id and by name, invited ones too, kept from being deleted; an id wins. */
export async function wantedUsers({ db, sql }: Databases, refs: readonly string[]): Promise<Map<string, string>> {
  const users = await inBatches(refs, (batch) =>
    db.user.findMany({ where: { ...named(batch), state: { not: 'deleted' } }, select }),
  );
  const ids = users.map(({ id }) => id);
  const locked = new Set(ids.length > 0 ? await lockRows(sql, 'user_account', ids, 'KEY SHARE') : []);
  return byRef(users.filter(({ id }) => locked.has(id)));
}

/** Active groups and organizations by id and by name; an id wins. */
export const wantedParents = async (db: Db, refs: readonly string[]): Promise<Map<string, string>> =>
  byRef(await inBatches(refs, (batch) => db.group.findMany({ where: { ...named(batch), state: 'active' }, select })));

/** Datasets by id and by name that the reader (readerOf) may read; an id wins. */
export const wantedDatasets = async (
  { sql }: Databases,
  refs: readonly string[],
  reader: readonly unknown[],
): Promise<Map<string, string>> => byRef(refs.length === 0 ? [] : await readableDatasets(sql, refs, reader));

/**
 * Locks a group until the transaction ends, and its datasets and `refs` before it, as writes of datasets do: two transactions
 * cannot wait for each other. Null when the group is gone.
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
