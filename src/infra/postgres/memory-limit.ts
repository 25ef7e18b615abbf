/** Limits the memory of one process of PostgreSQL on this machine, where the system can: so that a statement fails there, and not the server. */
import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Lets the process that serves a connection allocate at most `bytes` more than it has now. Allocations beyond fail with an error of the
 * statement (53200); shared memory does not count. Answers the bytes that it had before; null where the process is not to be
 * found here or the system cannot limit it: another machine, another system than Linux, a proxy in between.
 */
export async function confine(pid: number, role: string, bytes: number): Promise<number | null> {
  if (process.platform !== 'linux' || !isBackend(pid, role)) return null;
  const used = memoryOf(pid);
  if (used === null) return null;
  try {
    const { uid, gid } = statSync(`/proc/${pid}`);
    const other = process.getuid?.() !== uid; // only the same user may, and root without its capabilities is another
    await run('prlimit', ['--pid', String(pid), `--data=${used + bytes}`], {
      timeout: 5_000,
      ...(other && { uid, gid }),
    });
    return used;
  } catch {
    return null; // no such program, or not allowed
  }
}

/** Bytes that a process has allocated for itself alone; null where there is no such process, or the system does not tell. */
export function memoryOf(pid: number): number | null {
  try {
    const data = /^VmData:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return data === undefined ? null : Number(data) * 1024;
  } catch {
    return null;
  }
}

/** A number that a proxy made up may be that of any process: PostgreSQL's own say what they are, and for which role. */
function isBackend(pid: number, role: string): boolean {
  try {
    const title = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return /^postgres: /.test(title) && title.includes(` ${role} `);
  } catch {
    return false;
  }
}
