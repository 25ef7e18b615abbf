/**
 * Runs programs that read or write untrusted files in separate processes, with limits of memory and time, so that no
 * file can stop the server. docs/decisions/0024-programs.md gives the reasons.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CatalogError } from '../../kernel/errors.ts';
import { projectRoot } from '../../kernel/root.ts';
import { type Port, portOn } from './frames.ts';
import type { Fault } from './program.main.ts';

export interface ProgramOptions {
  /** The module, below the project's folder, without its ending: it exports `run` (program.main.ts). It runs from the build. */
  readonly module: string;
  /** Memory limit in bytes: includes buffers on Linux, else the JavaScript heap only. */
  readonly memory: number;
  /** Timeout in ms of computing without a message, while it does not wait for the server. */
  readonly timeout?: number;
}

export interface Program extends Port {
  /** The next message. @throws CatalogError that the program threw, ProgramEnded, and Error for a defect of it */
  next(): Promise<object>;
  /** Runs `work` for the program, such as reading requested input. Its time does not count for the program's timeout. */
  untimed<T>(work: () => Promise<T>): Promise<T>;
  /** Ends the process, without reporting a failure. */
  end(): void;
}

/** A program that ended early. */
export class ProgramEnded extends Error {
  /** `killed`: from outside, or it failed to start. A retry may succeed. */
  readonly reason: 'memory' | 'timeout' | 'crashed' | 'killed';
  constructor(reason: ProgramEnded['reason'], detail: string) {
    super(`a child process ended (${reason}): ${detail}`);
    this.reason = reason;
  }
}

const BUILD = join(projectRoot, 'dist');
const MAIN = join(BUILD, 'src/infra/worker/program.main.js');
/** The share of the memory for the old generation of the JavaScript heap: the rest is for the young generation and buffers. */
const HEAP_SHARE = 0.65;
/** Bytes that a process maps additionally, such as stacks of threads, mostly unused. */
const MAPPED_BYTES = 128 * 2 ** 20 + codeBytes();
/** CPU limit in seconds: also ends a program whose server was killed. */
const CPU_SECONDS = 3_600;
const TIMEOUT = 5 * 60_000;
/** Sets the limits of the process, makes it the first choice of the OOM killer, and replaces the shell by the program. */
const LIMITED = `{ ulimit -d "$1"; ulimit -S -t ${CPU_SECONDS}; echo 1000 > /proc/self/oom_score_adj; } 2> /dev/null
shift; exec "$@"`;

/** Starts a program. Always call `end`. @throws CatalogError UNAVAILABLE if the system lacks resources */
export function startProgram({ module, memory, timeout = TIMEOUT }: ProgramOptions): Program {
  const heap = Math.floor((memory * HEAP_SHARE) / 2 ** 20);
  const command = [
    process.execPath,
    `--max-old-space-size=${heap}`,
    MAIN,
    pathToFileURL(join(BUILD, `${module}.js`)).href,
  ];
  const limited = ['/bin/sh', '-c', LIMITED, 'sh', String(Math.ceil((memory + MAPPED_BYTES) / 1024)), ...command];
  const [path, ...args] = process.platform === 'linux' ? limited : command;
  // Without the server's environment, which contains secrets, and outside the terminal's process group, so that Ctrl+C
  // reaches only the server.
  const child = spawn(path!, args, { cwd: tmpdir(), env: { TMPDIR: tmpdir() }, detached: true });
  let failure: Error | null = null;
  let complaint = '';
  const ended = new Promise<void>((resolve) => {
    child.once('error', (thrown) => {
      failure ??= new ProgramEnded('killed', thrown.message);
      resolve();
    });
    child.once('close', (code, signal) => {
      failure ??= endOf(code, signal, complaint);
      resolve();
    });
  });
  if (!child.stdin) throw new CatalogError('UNAVAILABLE', 'The server cannot start another process. Try again later.');
  for (const stream of child.stdio) stream?.on('error', () => {}); // the end of the process reports it
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint = (complaint + text).slice(-4_000)));
  const port = portOn(child.stdout, child.stdin);
  let waitingFor = 0;

  function watched<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout;
    const watch = () => {
      timer = setTimeout(() => {
        if (waitingFor > 0) return watch();
        failure ??= new ProgramEnded('timeout', `no response for ${timeout / 1_000} s`);
        child.kill('SIGKILL');
      }, timeout);
    };
    watch();
    return work.finally(() => clearTimeout(timer));
  }

  return {
    send: port.send,
    async next() {
      const message = await watched(port.next());
      if (message === null) {
        await ended;
        throw failure;
      }
      if ('fault' in message) throw thrownFrom(message as Fault);
      return message;
    },
    async untimed(work) {
      waitingFor += 1;
      try {
        return await work();
      } finally {
        waitingFor -= 1;
      }
    },
    end() {
      child.stdin.destroy();
      child.kill('SIGKILL');
    },
  };
}

const OUT_OF_MEMORY = /out of memory|allocation failed|failed to allocate memory|bad_alloc|Invalid string length/i;

function endOf(code: number | null, signal: NodeJS.Signals | null, complaint: string): ProgramEnded {
  const detail = `${signal ?? `code ${code}`} ${complaint}`.trim();
  if (OUT_OF_MEMORY.test(complaint)) return new ProgramEnded('memory', detail);
  if (signal === 'SIGXCPU') return new ProgramEnded('timeout', detail);
  return new ProgramEnded(signal === 'SIGKILL' || signal === 'SIGTERM' ? 'killed' : 'crashed', detail);
}

function thrownFrom({ fault: { kind, message } }: Fault): Error {
  if (kind !== null) return new CatalogError(kind, message);
  return OUT_OF_MEMORY.test(message) ? new ProgramEnded('memory', message) : new Error(message);
}

/**
 * Bytes that V8 reserves for compiled code as writable memory, which counts against `ulimit -d`: 512 MiB from Node 24,
 * almost none before. Read from this process, which runs the same version; 0 if the system does not report it.
 */
function codeBytes(): number {
  try {
    const ranges = readFileSync('/proc/self/maps', 'utf8').matchAll(/^([\da-f]+)-([\da-f]+) rwxp/gm);
    return [...ranges].reduce((sum, [, from, to]) => sum + Number.parseInt(to!, 16) - Number.parseInt(from!, 16), 0);
  } catch {
    return 0;
  }
}
