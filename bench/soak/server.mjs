/** The server of a soak: a process of its own, whose garbage is collected and whose memory is read over its inspector. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { root } from '../../scripts/stamp.mjs';

const MIB = 2 ** 20;

/** Starts an empty catalog in this folder, with its embedded PostgreSQL, or the one of a settings file, whose API key is null. */
export async function startServer(folder, config = null) {
  const others = Object.entries(process.env).filter(
    ([name]) => !/^(CATALOG_|PORT$|DATABASE_URL$|NODE_OPTIONS$)/.test(name),
  );
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', join(root, 'scripts/catalog.mjs'), 'serve'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...Object.fromEntries(others),
      CATALOG_HOME: folder,
      PORT: '0',
      CATALOG__HOST: '127.0.0.1',
      CATALOG__LOG_LEVEL: 'warn',
      ...(config && { CATALOG_CONFIG: config }),
    },
  });
  let said = '';
  const found = await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        said = (said + text).slice(-20_000);
        const port = /http:\/\/localhost:(\d+)/.exec(said)?.[1];
        const key = config ? null : /API key +(\S+)/.exec(said)?.[1];
        const inspector = /Debugger listening on (ws:\S+)/.exec(said)?.[1];
        if (port && key !== undefined && inspector) resolve({ base: `http://127.0.0.1:${port}`, key, inspector });
      });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
  });
  const inspect = await inspectorAt(found.inspector);
  return {
    base: found.base,
    key: found.key,
    /** The last part of the server's output. */
    said: () => said,
    sample: () => sample(inspect),
    async stop() {
      inspect.close();
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Sends commands of the DevTools protocol. */
async function inspectorAt(url) {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const waiting = new Map();
  let last = 0;
  socket.on('message', (data) => {
    const { id, result, error } = JSON.parse(data);
    const [resolve, reject] = waiting.get(id) ?? [];
    waiting.delete(id);
    if (error) reject?.(new Error(error.message));
    else resolve?.(result);
  });
  return {
    send: (method, params = {}) =>
      new Promise((resolve, reject) => {
        last += 1;
        waiting.set(last, [resolve, reject]);
        socket.send(JSON.stringify({ id: last, method, params }));
      }),
    close: () => socket.close(),
  };
}

const READ = 'JSON.stringify({ ...process.memoryUsage(), cpu: process.cpuUsage() })';

/** MiB after a forced collection, and ms of CPU since the start of the process. */
async function sample({ send }) {
  for (let n = 0; n < 2; n += 1) await send('HeapProfiler.collectGarbage'); // the second frees what finalizers held
  const { result } = await send('Runtime.evaluate', { expression: READ });
  const { heapUsed, external, rss, cpu } = JSON.parse(result.value);
  return { live: (heapUsed + external) / MIB, resident: rss / MIB, cpu: (cpu.user + cpu.system) / 1000 };
}
