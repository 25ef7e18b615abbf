/** The system user that runs PostgreSQL, which refuses to run as root, and what that user can reach. */
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** User and group ids to run as; null means as we run ourselves. */
export type Account = { readonly uid: number; readonly gid: number } | null;

/**
 * Who should run a database kept in `folder`. Only root needs another user: the one who owns an existing database,
 * else `postgres`, else `nobody`.
 */
export function accountFor(folder: string): Account {
  if (process.getuid?.() !== 0) return null;
  const owner = statSync(folder, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  return user ? { uid: Number(user[2]) >>> 0, gid: Number(user[3]) >>> 0 } : { uid: 65_534, gid: 65_534 };
}

/** Whether the account can enter `folder` and every folder above it. Always true for ourselves. */
export function canPass(account: Account, folder: string): boolean {
  if (account === null) return true;
  return allows(account, folder, 0o1) && (folder === dirname(folder) || canPass(account, dirname(folder)));
}

/** Whether the account can get to a file or folder and read it. Always true for ourselves. */
export function canRead(account: Account, path: string): boolean {
  if (account === null) return true;
  return canPass(account, dirname(path)) && allows(account, path, statSync(path).isDirectory() ? 0o5 : 0o4);
}

function allows({ uid, gid }: NonNullable<Account>, path: string, wanted: number): boolean {
  const { mode, uid: owner, gid: group } = statSync(path);
  const shift = owner === uid ? 6 : group === gid ? 3 : 0;
  return ((mode >> shift) & wanted) === wanted;
}
