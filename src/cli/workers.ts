/** `catalog serve --workers N`: starts processes that share one port, and replaces those that end. */
import type { SendHandle } from 'node:child_process';
import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabases } from '../embedded/databases.ts';
import type { Settings } from '../kernel/settings.ts';
import { type CommandContext, CommandFailure, UsageError } from './command.ts';
import { onStopSignal } from './stoppable.ts';

export const MAX_WORKERS = 64;
/** Most connections of one process: a pool of the catalog and four of the DataStore, downloads, notifications and checks. */
const maxConnections = (settings: Settings): number =>
  5 * settings['catalog.database_pool'] + settings['catalog.datastore.downloads'] + 15;
/** ms before a process that ended is replaced. Doubles while processes end within `STEADY`, up to `MAX_PAUSE`. */
const PAUSE = 500;
const MAX_PAUSE = 30_000;
const STEADY = 60_000;

/**
 * Runs until SIGTERM or SIGINT, then waits for the end of all processes. Another signal, a second later, kills them. The first process
 * migrates the database and does the work of all roles; the others answer requests only.
 * @throws UsageError, CommandFailure if the first process ends before it listens
 */
export async function superviseWorkers(count: number, { settings, log }: CommandContext): Promise<void> {
  if (!settings['catalog.roles'].includes('web'))
    throw new UsageError('--workers: catalog.roles must include web, because the processes share its port');
  const databases = await openDatabases(settings, log, {
    maxConnections: Math.max(100, maxConnections(settings) * count),
  });
  const group = createGroup(log);
  try {
    const first = group.start({});
    const listens = await new Promise<boolean>((resolve) => {
      first.once('listening', () => resolve(true));
      first.once('exit', () => resolve(false));
    });
    if (!listens && !group.isStopping()) throw new CommandFailure('The first process ended before it listened.');
    for (let started = 1; started < count && !group.isStopping(); started += 1)
      group.start({ CATALOG__ROLES: 'web', ...monitoringPort(settings, started) });
    await group.ended;
  } finally {
    await group.stop('SIGTERM');
    await databases.close();
  }
}

/** The nth process after the first has the nth port after catalog.monitoring.port, also after it was replaced. */
function monitoringPort({ 'catalog.monitoring.port': port }: Settings, nth: number): NodeJS.ProcessEnv {
  return port === 0 ? {} : { CATALOG__MONITORING__PORT: String(port + nth) };
}

function createGroup(log: CommandContext['log']) {
  const running = new Map<Worker, Promise<void>>();
  const listening = new Set<Worker>();
  let hasListened = false;
  let isStopping = false;
  let pause = PAUSE;
  let end: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));

  function start(env: NodeJS.ProcessEnv): Worker {
    const worker = cluster.fork(env);
    const handed = connectionsOf(worker);
    const since = Date.now();
    worker.once('listening', () => {
      hasListened = true;
      listening.add(worker);
    });
    // Handing a connection to a process that has just ended. `exit` follows, and another process gets the connection.
    worker.on('error', (failure) => log.warn({ err: failure, pid: worker.process.pid }, 'sending to a process failed'));
    const exit = new Promise<void>((resolve) => {
      worker.once('exit', (code, signal) => {
        running.delete(worker);
        listening.delete(worker);
        handOver(handed, [...listening]);
        resolve();
        if (isStopping || !hasListened) return;
        log.error({ pid: worker.process.pid, code, signal }, 'a process ended; starting another');
        void replace(env, Date.now() - since);
      });
    });
    running.set(worker, exit);
    return worker;
  }

  async function replace(env: NodeJS.ProcessEnv, lived: number): Promise<void> {
    pause = lived > STEADY ? PAUSE : Math.min(2 * pause, MAX_PAUSE);
    await sleep(pause);
    if (!isStopping) start(env);
  }

  async function stop(signal: NodeJS.Signals): Promise<void> {
    isStopping = true;
    for (const worker of running.keys()) worker.process.kill(signal);
    await Promise.all(running.values());
    end();
  }
  onStopSignal(
    (signal) => void stop(signal),
    () => void stop('SIGKILL'),
  );
  return { start, stop, ended, isStopping: () => isStopping };
}

/** A message between Node's own parts of a cluster: `newconn` hands a connection to a process, `ack` confirms it. */
interface ClusterMessage {
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

/** A connection with the message that hands it over. */
type Handed = [ClusterMessage, SendHandle & { close(): void }];

/** The connections that a process is handed and has not confirmed. If it ends, Node forgets them, and their clients wait forever. */
function connectionsOf({ process: child }: Worker): ReadonlyMap<unknown, Handed> {
  const handed = new Map();
  const send = child.send.bind(child) as (...args: unknown[]) => boolean;
  child.send = (message: ClusterMessage, ...rest: unknown[]) => {
    if (message.act === 'newconn') handed.set(message.seq, [message, rest[0]]);
    return send(message, ...rest);
  };
  child.on('internalMessage', ({ ack }: ClusterMessage) => handed.delete(ack));
  return handed;
}

/** Hands connections to processes in turn, or closes them if there are none. */
function handOver(handed: ReadonlyMap<unknown, Handed>, listening: readonly Worker[]): void {
  const living = listening.filter((worker) => worker.isConnected());
  [...handed.values()].forEach(([message, connection], n) => {
    // Under the same number, so that Node closes its copy when the other process confirms it.
    if (living.length > 0) living[n % living.length]!.process.send(message, connection);
    else connection.close();
  });
}
