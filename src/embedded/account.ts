/** Chooses the system user that runs PostgreSQL, which refuses to run as root, and checks that user's file access. */
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** User and group ids to run as; null means the current user. */
export type Account = { readonly uid: number; readonly gid: number } | null;

/** User for a database in `folder`. Only root needs another user: the owner of an existing database, else `postgres`, else `nobody`. */
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

/** Whether the account can enter `folder` and all its parents. Always true for the current user. */
export function canPass(account: Account, folder: string): boolean {
  if (account === null) return true;
  return allows(account, folder, 0o1) && (folder === dirname(folder) || canPass(account, dirname(folder)));
}

/** Whether the account can reach and read a file or folder. Always true for the current user. */
export function canRead(account: Account, path: string): boolean {
  if (account === null) return true;
  return canPass(account, dirname(path)) && allows(account, path, statSync(path).isDirectory() ? 0o5 : 0o4);
}

function allows({ uid, gid }: NonNullable<Account>, path: string, required: number): boolean {
  const { mode, uid: owner, gid: group } = statSync(path);
  const shift = owner === uid ? 6 : group === gid ? 3 : 0;
  return ((mode >> shift) & required) === required;
}
