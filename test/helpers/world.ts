/** A separate, empty catalog for one test file, with a database and a running server. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { createApp } from '../../src/app.ts';
import { createSecretBox } from '../../src/infra/crypto/secret-box.ts';
import { openDatabase } from '../../src/infra/postgres/db.ts';
import { type Actor, anonymous } from '../../src/kernel/call.ts';
import { settingsForTests } from '../../src/kernel/config.ts';
import type { Settings } from '../../src/kernel/settings.ts';
import { createDatabase, plannedDatastore } from './database.ts';
import { onFullSchema } from './full-graph.ts';
import { withGlobalIds, withRealIds } from './global-ids.ts';
import { makers, type TestUser } from './make.ts';
import { undescribed } from './openapi.ts';

export type World = Awaited<ReturnType<typeof createWorld>>;

export interface Answered {
  status: number;
  headers: Headers;
  body: any;
  text: string;
}

interface Options {
  as?: TestUser | null;
  get?: boolean;
  headers?: Record<string, string>;
}

/** The settings that the recordings call `main` (ruling 18). */
export const MAIN: Partial<Settings> = {
  'catalog.auth.create_unowned_dataset': true,
  'catalog.auth.create_dataset_if_not_in_organization': true,
  'catalog.auth.user_create_groups': true,
  'catalog.auth.user_create_organizations': true,
};

/** With the newer media type, the status shows a refusal. */
const GRAPHQL = { 'content-type': 'application/json', accept: 'application/graphql-response+json' };

/** Statements that write no rows. The catalog's only functions that write are triggers. */
const READS = /^(SELECT|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET|SHOW)\b/;

export interface WorldOptions {
  /** Allows `statementsOf`. It needs async hooks, which slow down the whole process. */
  counts?: boolean;
  /** The database to copy, instead of an empty one. */
  template?: string;
}

export async function createWorld(overrides: Partial<Settings> = {}, { counts = false, template }: WorldOptions = {}) {
  const own = await createDatabase(template);
  const statements: string[] = [];
  let writes = 0;
  /** Set during background work of timers and listeners, which no request has caused. */
  const unasked = counts ? new AsyncLocalStorage<true>() : undefined;
  const keep = (text: string) => {
    if (!READS.test(text)) writes += 1;
    if (unasked && !unasked.getStore()) statements.push(text);
  };
  const tables = plannedDatastore();
  const settings = settingsForTests({
    'catalog.site_url': 'http://catalog.test',
    'catalog.datastore.write_url': tables.writeUrl,
    'catalog.datastore.read_url': tables.readUrl,
    ...MAIN,
    ...overrides,
  });
  const database = openDatabase({ url: own.url, max: 10, onStatement: keep });
  const secret = randomBytes(32);
  const log = pino({ level: process.env.TEST_LOG ?? 'silent' });
  const create = () => createApp({ settings, database, secret, log, onDatastoreStatement: keep });
  const app = await (unasked?.run(true, create) ?? create());
  await new Promise<void>((resolve) => app.server.listen(settings['catalog.port'], '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const system: Actor = { ...anonymous('test'), sysadmin: true };
  const make = makers({ db: database.db, secretBox: createSecretBox(secret), app, system });

  /** Sends one request. A JSON body is parsed. */
  async function request(path: string, init: RequestInit = {}): Promise<Answered> {
    const response = await fetch(base + path, init);
    const text = await response.text();
    const isJson = /\bjson\b|\+json/.test(response.headers.get('content-type') ?? '') && text !== '';
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text, text };
  }

  /** Calls an action: POST with a JSON body, or GET with the parameters as query. @throws Error if openapi.json differs from the answer */
  async function action(name: string, params: Record<string, unknown> = {}, options: Options = {}): Promise<Answered> {
    const answered = await call(name, params, options);
    const odd = undescribed(name, answered.body);
    if (odd) throw new Error(odd);
    return answered;
  }

  function call(name: string, params: Record<string, unknown>, { as, get, headers = {} }: Options): Promise<Answered> {
    const all = { ...(as ? { authorization: as.key } : {}), ...headers };
    if (!get) {
      return request(`/api/3/action/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...all },
        body: JSON.stringify(params),
      });
    }
    const query = new URLSearchParams(
      Object.entries(params).map(([key, value]): [string, string] => [
        key,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    );
    return request(`/api/3/action/${name}?${query}`, { headers: all });
  }

  /** `result` of an action that must succeed; a failure prints request and answer. */
  async function result(name: string, params: Record<string, unknown> = {}, options: Options = {}): Promise<any> {
    const answered = await action(name, params, options);
    if (answered.body?.success !== true)
      throw new Error(
        `${name} ${JSON.stringify(params).slice(0, 2000)}\nanswered ${answered.status} ${answered.text.slice(0, 2000)}`,
      );
    return answered.body.result;
  }

  /** Runs an operation on /graphql. Names and database ids become global ids. */
  async function graph(
    query: string,
    variables: Record<string, unknown> = {},
    { as, headers = {} }: Options = {},
  ): Promise<Answered> {
    const made = JSON.stringify(withGlobalIds(query, variables));
    const real = () => withRealIds(database.db, made);
    const body = await (unasked?.run(true, real) ?? real());
    return request('/graphql', {
      method: 'POST',
      body,
      headers: { ...GRAPHQL, ...(as ? { authorization: as.key } : {}), ...headers },
    });
  }

  /** Runs an operation on the full schema in process, as facades do, for elements that are not public. */
  const full = (query: string, variables: Record<string, unknown> = {}, { as }: Options = {}): Promise<Answered> =>
    onFullSchema(app, query, variables, as?.key);

  /** Texts of the statements that `work` and its requests send. Needs a world with `counts`. */
  async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
    if (!counts) throw new Error('createWorld needs { counts: true }');
    statements.length = 0;
    await work();
    return statements.filter((text) => !/^(BEGIN|COMMIT)/.test(text));
  }

  const world = {
    base,
    app,
    database,
    secret,
    settings,
    request,
    action,
    result,
    graph,
    full,
    statementsOf,
    /** Number of statements so far that may have written. */
    writesSent: () => writes,
    make,
    system,
    id: randomUUID,
    /** Creates the DataStore's database, which is unavailable until then. */
    datastore: tables.create,
    /** Drops all tables of the DataStore. */
    dropTables: tables.dropTables,
    withoutDatastore: tables.end,
    async end() {
      app.server.closeAllConnections();
      await app.close();
      await database.close();
      await Promise.all([own.end(), tables.end()]);
      unasked?.disable();
      release(world);
    },
  };
  return world;
}

/** Removes the references of a world: a test file stays in memory after its run, with everything that it references. */
function release(world: { end(): Promise<void> }): void {
  for (const name of Object.keys(world)) Reflect.deleteProperty(world, name);
  world.end = async () => {};
}
