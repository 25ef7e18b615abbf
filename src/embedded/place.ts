/**
 * Chooses the folder of the embedded database: `<data_dir>/postgres`. Exception: root runs the program in a folder that other users cannot
 * enter (such as a home directory of mode 0700). PostgreSQL's user must reach its files, so they are then in a system folder, and
 * `place.json` points to it.
 */
import { randomUUID } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Account, accountFor, canPass } from './account.ts';
import { EmbeddedError } from './errors.ts';
import { processAt, readLock } from './postmaster.ts';

/** The folders of one embedded database. */
export interface Folders {
  /** The folder users see: `<data_dir>/postgres`. */
  readonly visible: string;
  /** The actual folder of the files; differs only when `visible` is unreachable. */
  readonly base: string;
  /** PostgreSQL's own data directory. */
  readonly cluster: string;
  readonly account: Account;
}

interface Pointer {
  program: 'catalog-gateway';
  id: string;
  at: string;
  for?: string;
}

/** Finds or creates the folders. @throws EmbeddedError when another user owns the folder */
export function findFolders(dataDir: string): Folders {
  mkdirSync(dataDir, { recursive: true });
  const visible = join(realpathSync(dataDir), 'postgres');
  mkdirSync(visible, { recursive: true });
  const pointer = readPointer(visible) ?? makePointer(visible);
  const base = pointer.at === '.' ? visible : pointer.at;
  if (pointer.at !== '.') checkBackPointer(visible, pointer);
  const account = accountFor(existsSync(join(base, 'cluster')) ? join(base, 'cluster') : base);
  protect(base, account);
  return { visible, base, cluster: join(base, 'cluster'), account };
}

function readPointer(folder: string): Pointer | null {
  const file = join(folder, 'place.json');
  try {
    const pointer = JSON.parse(readFileSync(file, 'utf8')) as Pointer;
    if (pointer.program === 'catalog-gateway' && typeof pointer.id === 'string' && typeof pointer.at === 'string')
      return pointer;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return null;
    if ((thrown as NodeJS.ErrnoException).code === 'EACCES')
      throw new EmbeddedError(
        `${folder} belongs to another user. Run as that user, or choose another catalog.data_dir.`,
      );
  }
  throw new EmbeddedError(`${file} is damaged. Restore it, or move ${folder} away to start with an empty database.`);
}

function makePointer(visible: string): Pointer {
  if (readdirSync(visible).length > 0) {
    throw new EmbeddedError(
      `${visible} is not a database of this program (it has no place.json). Choose another catalog.data_dir, or move the folder away.`,
    );
  }
  const id = randomUUID();
  const account = accountFor(visible);
  const at = canPass(account, dirname(visible)) ? '.' : outside(id, visible);
  const pointer: Pointer = { program: 'catalog-gateway', id, at };
  try {
    writeFileSync(join(visible, 'place.json'), `${JSON.stringify(pointer)}\n`, { flag: 'wx', mode: 0o644 });
    return pointer;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown;
    return readPointer(visible) as Pointer; // another process was first
  }
}

function outside(id: string, visible: string): string {
  const parent = ['/var/lib', tmpdir()].find(isWritable);
  if (!parent)
    throw new EmbeddedError(
      `${visible} cannot be reached by the user that runs PostgreSQL. Choose another catalog.data_dir.`,
    );
  stopLeftOver(parent, visible);
  const at = join(parent, `catalog-gateway-${id.slice(0, 8)}`);
  mkdirSync(at, { mode: 0o700 });
  const back: Pointer = { program: 'catalog-gateway', id, at: '.', for: visible };
  writeFileSync(join(at, 'place.json'), `${JSON.stringify(back)}\n`, { mode: 0o644 });
  return at;
}

/** Stops the server of a visible folder that a user removed to start over; otherwise it would run permanently. Keeps its files. */
function stopLeftOver(parent: string, visible: string): void {
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith('catalog-gateway-'))) {
    try {
      const cluster = join(parent, name, 'cluster');
      const lock = readLock(cluster);
      if (readPointer(join(parent, name))?.for === visible && lock && processAt(lock.pid, cluster) === 'ours')
        process.kill(lock.pid, 'SIGINT');
    } catch {
      // not readable, so not ours
    }
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function checkBackPointer(visible: string, { id, at }: Pointer): void {
  const back = existsSync(at) ? readPointer(at) : null;
  if (back === null || back.id !== id) {
    throw new EmbeddedError(
      `${join(visible, 'place.json')} points to ${at}, which does not exist. Restore that folder, or move ${visible} away to start with an empty database.`,
    );
  }
  if (back.for !== visible) {
    throw new EmbeddedError(
      `The database in ${at} belongs to ${back.for}, not to ${visible}, which seems to be a copy. If you moved the folder, write the new path into ${join(at, 'place.json')}. Otherwise move ${visible} away.`,
    );
  }
}

/** Restricts the folder to its user, because anyone who reaches the server's sockets can connect. */
function protect(base: string, account: Account): void {
  const { uid, mode } = statSync(base);
  const required = account?.uid ?? process.getuid?.() ?? uid;
  if (uid !== required) {
    if (account === null)
      throw new EmbeddedError(
        `${base} belongs to another user (id ${uid}). Run as that user, or choose another catalog.data_dir.`,
      );
    chownSync(base, account.uid, account.gid);
  }
  if ((mode & 0o777) !== 0o700) chmodSync(base, 0o700);
}
