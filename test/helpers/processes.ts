/** Processes of an embedded PostgreSQL that a test started for itself. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The main process of a server. `dataDir` is the catalog's. */
export function postmasterOf(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0]);
}

/** The main process and all of its children. */
export function processesOf(dataDir: string): number[] {
  const postmaster = postmasterOf(dataDir);
  return [postmaster, ...childrenOf(postmaster)];
}

/** Processes that each serve one client. */
export const backendsOf = (dataDir: string): number[] =>
  childrenOf(postmasterOf(dataDir)).filter((pid) => /postgres: (catalog_owner|datastore_\w+) /.test(commandOf(pid)));

/** Running child processes of a process, ordered by id. */
export function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [, state, from] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
        return Number(from) === parent && state !== 'Z';
      } catch {
        return false;
      }
    })
    .sort((a, b) => a - b);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Sends a signal to each process, and ignores those that have ended. */
export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // it has already ended
    }
  }
}
