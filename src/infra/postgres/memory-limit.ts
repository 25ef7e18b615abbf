/** Limits the memory of one PostgreSQL backend on this machine, if the system supports it, so that a statement fails and not the server. */
import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Lets a connection's backend allocate at most `bytes` more than now. Allocations above it fail with an error of the
 * statement (53200); shared memory does not count. Returns the bytes allocated before; null if the backend is not on
 * this machine or cannot be limited: another machine, another system than Linux, a proxy in between.
 */
export async function confine(pid: number, role: string, bytes: number): Promise<number | null> {
  if (process.platform !== 'linux' || !isBackend(pid, role)) return null;
  const used = memoryOf(pid);
  if (used === null) return null;
  try {
    const { uid, gid } = statSync(`/proc/${pid}`);
    const other = process.getuid?.() !== uid; // only the same user may set it, and root without its capabilities is another user
    await run('prlimit', ['--pid', String(pid), `--data=${used + bytes}`], {
      timeout: 5_000,
      ...(other && { uid, gid }),
    });
    return used;
  } catch {
    return null; // the program is missing, or not permitted
  }
}

/** Private memory of a process in bytes; null if the process or the figure is not available. */
export function memoryOf(pid: number): number | null {
  try {
    const data = /^VmData:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return data === undefined ? null : Number(data) * 1024;
  } catch {
    return null;
  }
}

/** A proxy may invent the process id, so the process must be a PostgreSQL backend of that role. */
function isBackend(pid: number, role: string): boolean {
  try {
    const title = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return /^postgres: /.test(title) && title.includes(` ${role} `);
  } catch {
    return false;
  }
}
