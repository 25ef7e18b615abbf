/** Measures the memory growth of a server process during some work, as reported by the system. */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

export const MIB = 2 ** 20;

interface Measured {
  readonly seconds: number;
  /** Bytes. */
  readonly before: number;
  readonly grew: number;
}

export const figures = ({ seconds, before, grew }: Measured): string =>
  `${seconds.toFixed(1)} s, memory ${(before / MIB).toFixed(0)} MiB and ${(grew / MIB).toFixed(0)} MiB more at most`;

/** Runs the work and measures the memory growth of the server. */
export async function watched<T>(server: ChildProcess, work: () => Promise<T>): Promise<Measured & { result: T }> {
  const before = memoryOf(server);
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, memoryOf(server))), 25);
  const from = performance.now();
  try {
    const result = await work();
    return { result, seconds: (performance.now() - from) / 1000, before, grew: most - before };
  } finally {
    clearInterval(timer);
  }
}

/** Memory of a process in bytes; 0 for a zombie process. */
export function memoryOf({ pid }: ChildProcess): number {
  const status = `/proc/${pid}/status`;
  if (existsSync(status)) return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(status, 'utf8'))?.[1] ?? 0) * 1024;
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
}
