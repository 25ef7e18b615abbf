/** A catalog in a separate process, started by the command, so that its memory can be measured. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { settingsForTests } from '../../src/kernel/config.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import { withGlobalIds } from './global-ids.ts';

export interface TestServer {
  readonly process: ChildProcess;
  /** URL without a slash at the end. */
  readonly base: string;
  /** Key of the administrator that the first start creates. */
  readonly key: string;
  /** Output so far. */
  said(): string;
  /** The result of an action, as the administrator. @throws Error with the answer, when it was refused */
  call(action: string, params: object): Promise<any>;
  /** The data of an operation of the graph, as the administrator. @throws Error with the answer, when there are errors */
  graph(query: string): Promise<any>;
  /** Stops the process and waits for its end. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface ServerOptions {
  /** Key of the administrator, if an earlier start on the same database has printed it. */
  readonly key?: string;
  /** Arguments after `serve`. */
  readonly args?: readonly string[];
  /** Another checkout to run. */
  readonly folder?: string;
}

/** Starts a server on a free port and a migrated database, empty unless the key is given. `env` are settings as environment variables. */
export async function startServer(
  env: Readonly<Record<string, string>>,
  { key: known, args = [], folder = projectRoot }: ServerOptions = {},
): Promise<TestServer> {
  const child = spawn(process.execPath, [join(folder, 'scripts/catalog.mjs'), 'serve', ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      CATALOG__HOST: '127.0.0.1',
      CATALOG__PORT: '0',
      CATALOG__LOG_LEVEL: 'warn',
      CATALOG__AUTH__CREATE_UNOWNED_DATASET: 'true',
      // Servers on one database share the secret in the data folder.
      ...(env.CATALOG_HOME === undefined && { CATALOG__DATA_DIR: settingsForTests()['catalog.data_dir'] }),
      ...env,
    },
  });
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
    if (!env.CATALOG__LOG_LEVEL) process.stderr.write(text); // prints warnings; with another log level only the test reads them
  });
  let base: string | undefined;
  let key = known;
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      said += `${line}\n`;
      base ??= /GraphQL +(http:\/\/localhost:\d+)/.exec(line)?.[1]?.replace('localhost', '127.0.0.1');
      key ??= /API key +(\S+)/.exec(line)?.[1];
      if (base && key) resolve();
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${said.slice(-2_000)}`)));
  });
  async function post(path: string, body: object): Promise<any> {
    const answered = await fetch(base + path, {
      method: 'POST',
      headers: { authorization: key!, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answered.text();
    const found = answered.headers.get('content-type')?.includes('json') ? JSON.parse(text) : null;
    if (!found || found.errors || found.success === false)
      throw new Error(`${path} ${JSON.stringify(body)}: ${answered.status} ${text}`);
    return found;
  }
  return {
    process: child,
    base: base!,
    key: key!,
    said: () => said,
    call: async (action, params) => (await post(`/api/3/action/${action}`, params)).result,
    graph: async (query) => (await post('/graphql', withGlobalIds(query, {}))).data,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}
