/**
 * Argon2id in worker threads: one password takes about 50 ms of CPU, which would block the event loop. Threads start on
 * first use, without this process's arguments, and do not keep the process alive while they are idle.
 */
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { Argon, ArgonJob } from '../../infra/crypto/argon.ts';
import { CatalogError } from '../../kernel/errors.ts';

export interface ArgonThreads {
  readonly derive: Argon;
  /** Ends the threads. Refuses running and waiting jobs. */
  close(): Promise<void>;
}

const THREADS = 2;
/** Length of the queue, about five seconds' work. Jobs beyond it are refused at once and may be retried. */
const WAITING = 200;

/** Source text, not a file: it is the same from sources, from the build and under tests. Loads the module in `workerData`. */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { argon2id } = require(workerData);
parentPort.on('message', ({ password, salt, hashLength, memory, passes, lanes }) =>
  argon2id({ password, salt, hashLength, memorySize: memory, iterations: passes, parallelism: lanes, outputType: 'binary' }).then(
    (hash) => parentPort.postMessage({ hash }),
    (thrown) => parentPort.postMessage({ fault: String(thrown) }),
  ));`;
const LIBRARY = createRequire(import.meta.url).resolve('hash-wasm');

interface Task {
  readonly job: ArgonJob;
  resolve(hash: Uint8Array): void;
  reject(reason: unknown): void;
}

/** Makes the thread pool; no thread starts yet. */
export function argonThreads(threads = THREADS, waiting = WAITING): ArgonThreads {
  const queue: Task[] = [];
  /** The job of each thread; null while idle. */
  const running = new Map<Worker, Task | null>();
  let closed = false;

  function start(): Worker {
    const worker = new Worker(PROGRAM, { eval: true, workerData: LIBRARY, execArgv: [], env: {} });
    worker.on('message', ({ hash, fault }: { hash?: Uint8Array; fault?: string }) => {
      const task = running.get(worker);
      rest(worker);
      if (hash) task?.resolve(hash);
      else task?.reject(new Error(fault));
    });
    worker.on('error', (failure) => lose(worker, failure));
    worker.on('exit', () => lose(worker, new Error('a thread that derives passwords ended')));
    return worker;
  }

  function rest(worker: Worker): void {
    running.set(worker, null);
    worker.unref();
    next();
  }

  /** Fails the job of a thread that ended; the next job starts another thread. */
  function lose(worker: Worker, failure: unknown): void {
    const task = running.get(worker);
    running.delete(worker);
    task?.reject(failure);
    next();
  }

  function next(): void {
    if (queue.length === 0 || closed) return;
    const resting = [...running].find(([, task]) => task === null)?.[0];
    const worker = resting ?? (running.size < threads ? start() : null);
    if (worker === null) return;
    const task = queue.shift()!;
    running.set(worker, task);
    worker.ref();
    worker.postMessage(task.job);
  }

  const derive: Argon = (job) =>
    new Promise((resolve, reject) => {
      if (closed || queue.length >= waiting)
        throw new CatalogError(
          'LIMIT',
          'Too many passwords are being checked at the moment. Try again in a few seconds.',
        );
      queue.push({ job, resolve, reject });
      next();
    });

  async function close(): Promise<void> {
    closed = true;
    for (const { reject } of queue.splice(0)) reject(new Error('the server is shutting down'));
    await Promise.all([...running.keys()].map((worker) => worker.terminate()));
  }
  return { derive, close };
}
