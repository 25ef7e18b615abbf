/** Processes of a run: the catalog as started by `npm start`, the floor, and the load generator. */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from '../scripts/stamp.mjs';

/** The catalog on a free port. `profile`: folder for a CPU profile, written on exit. */
export async function startCatalog({ config, profile }) {
  const node = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
  const [started] = await startProgram([...node, join(root, 'scripts/start.mjs')], { CATALOG_CONFIG: config }, [
    /localhost:(\d+)\//,
  ]);
  return started;
}

/** Catalogs of several settings in one process, each with the site title and on the port that it prints. */
export function startTogether(configs, titles) {
  const patterns = titles.map((title) => new RegExp(`^${title} is at http://localhost:(\\d+)$`, 'm'));
  return startProgram([join(root, 'bench/together.mjs'), ...configs], {}, patterns);
}

/** A program that serves on one port for each pattern, found in its output. */
async function startProgram(args, env, patterns) {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...withoutSettings(), ...env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ports = await new Promise((resolve, reject) => {
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said += text;
      const found = patterns.map((pattern) => pattern.exec(said));
      if (found.every(Boolean)) resolve(found.map(([, port]) => Number(port)));
    });
    child.once('exit', (code) => reject(new Error(`the catalog ended with ${code}\n${said}`)));
  });
  return ports.map((port) => ({ pid: child.pid, port, stop: () => stop(child) }));
}

/** The floor on a free port. */
export async function startFloor({ url, settings }) {
  const child = fork(join(root, 'bench/floor.mjs'), {
    env: {
      ...withoutSettings(),
      FLOOR_DATABASE: url,
      FLOOR_DATASTORE: settings['catalog.datastore.read_url'] ?? '',
      NODE_ENV: 'production',
    },
  });
  const [port] = await once(child, 'message');
  return { pid: child.pid, port, stop: () => stop(child) };
}

/** PostGraphile on a free port, from its npm folder, run by the Node at `execPath`. */
export async function startPostgraphile({ url, connections, folder, execPath }) {
  const production = { NODE_ENV: 'production', GRAPHILE_ENV: 'production' };
  const child = fork(join(root, 'bench/postgraphile.mjs'), {
    execPath,
    env: {
      ...withoutSettings(),
      ...production,
      POSTGRAPHILE_DATABASE: url,
      POSTGRAPHILE_CONNECTIONS: connections,
      POSTGRAPHILE_FOLDER: folder,
    },
  });
  const [port] = await once(child, 'message');
  return { pid: child.pid, port, stop: () => stop(child) };
}

/** A load generator; it runs one job at a time. */
export function startLoad() {
  const child = fork(join(root, 'bench/load.mjs'));
  return {
    pid: child.pid,
    async run(job) {
      child.send(job);
      const [done] = await once(child, 'message');
      return done;
    },
    stop: () => child.disconnect(),
  };
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Removes the user's own settings from the environment. */
function withoutSettings() {
  const ours = /^(CATALOG_|PORT$|DATABASE_URL$|LOG_SQL$|NODE_OPTIONS$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}
