/** Clients of GraphQL as people use them, unmodified: each pages through the whole real catalog by cursor. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { printSchema } from 'graphql';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { installNpm } from '../../scripts/npm.mjs';
import { publicSchema as schema } from '../../src/graph/schema.ts';
import { cursorOf } from '../../src/kernel/connection.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import type { TestUser } from '../helpers/make.ts';
import { hasPython, installPython } from '../helpers/python.ts';
import { describeWith, INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { createSampleWorld } from '../helpers/sample.ts';
import type { World } from '../helpers/world.ts';

const MINUTES = 300_000;
const CLIENTS = join(projectRoot, 'test/compat/clients');
const run = promisify(execFile);

let world: World;
let admin: TestUser;
let address: string;
/** Names of all datasets, sorted, and the pages of 100 that they make. */
let all: { pages: number; names: string[] };
beforeAll(async () => {
  world = await createSampleWorld();
  admin = await world.make.sysadmin();
  address = `${world.base}/graphql`;
  const names: string[] = await world.result('package_list');
  all = { pages: Math.ceil(names.length / 100), names: names.sort() };
}, MINUTES);
afterAll(() => world?.end());

/** What a client printed, its names sorted: one that came twice stands twice. */
const sorted = (printed: string) => {
  const { names, ...rest } = JSON.parse(printed) as { names: string[] };
  return { ...rest, names: names.sort() };
};

describe('clients from npm', () => {
  let packages: string;
  let folder: string;
  beforeAll(async () => {
    packages = await installNpm({
      '@apollo/client': '4.3.8',
      '@urql/core': '6.0.3',
      graphql: '16.15.0',
      'relay-compiler': '21.0.1',
      'relay-runtime': '21.0.1',
      rxjs: '7.8.2',
    });
    folder = mkdtempSync(join(projectRoot, '.cache', 'clients-'));
    cpSync(CLIENTS, folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }');
    symlinkSync(join(packages, 'node_modules'), join(folder, 'node_modules'));
  }, INSTALL_TIMEOUT);
  afterAll(() => {
    if (folder) rmSync(folder, { recursive: true });
  });

  const client = async (script: string, ...args: string[]) =>
    sorted((await run(process.execPath, [join(folder, script), address, ...args], { maxBuffer: 1e8 })).stdout);

  it(
    'Relay: fragments compile against the schema, and its runtime pages in both directions, reads again by id and changes',
    async () => {
      writeFileSync(join(folder, 'relay/schema.graphql'), printSchema(schema));
      const compiler = join(folder, 'node_modules/relay-compiler/cli.js');
      await run(process.execPath, [compiler, 'relay.config.json'], { cwd: join(folder, 'relay') });
      const renamed = 'Changed through Relay';
      expect(await client('relay/run.cjs', admin.key)).toEqual({
        ...all,
        backward: true,
        isThere: true,
        renamed,
        made: 'made-by-relay',
        purged: true,
      });
    },
    MINUTES,
  );

  it(
    'Apollo Client: its cache puts the pages together',
    async () => {
      expect(await client('apollo.cjs')).toEqual(all);
    },
    MINUTES,
  );

  it(
    'Apollo Client: a mutation updates by `id` what a query has read',
    async () => {
      const [name = ''] = all.names;
      const { title } = await world.result('package_show', { id: name });
      const { stdout } = await run(process.execPath, [join(folder, 'apollo-update.cjs'), address, admin.key, name]);
      expect(JSON.parse(stdout)).toEqual({ titles: [title, 'Changed through Apollo'], requests: 2, objects: 1 });
    },
    MINUTES,
  );

  it(
    'urql: by GET',
    async () => {
      expect(await client('urql.cjs')).toEqual(all);
    },
    MINUTES,
  );
});

describe('graphql-ws', () => {
  it(
    'pages over one connection, and follows the log from its beginning',
    async () => {
      const client = createClient({ url: address.replace('http', 'ws'), webSocketImpl: WebSocket, retryAttempts: 0 });
      const read = async (after: string | null) => {
        const query = `query ($after: String) { datasets(first: 100, after: $after) { nodes { name } pageInfo { hasNextPage endCursor } } }`;
        const { value } = await client.iterate<any>({ query, variables: { after } }).next();
        return value.data.datasets;
      };
      const names: string[] = [];
      let pages = 0;
      for (let after: string | null = null, more = true; more; pages += 1) {
        const { nodes, pageInfo } = await read(after);
        names.push(...nodes.map(({ name }: { name: string }) => name));
        more = pageInfo.hasNextPage;
        after = pageInfo.endCursor;
      }
      expect({ pages, names: names.sort() }).toEqual(all);
      const told = new Set<string>();
      const query = `subscription { changes(after: "${cursorOf([0])}", types: [DATASET]) { name } }`;
      for await (const { data } of client.iterate<any>({ query }))
        if (told.add(data.changes.name).size === names.length) break;
      expect([...told].sort()).toEqual(all.names);
      await client.dispose();
    },
    MINUTES,
  );
});

describeWith('python3 with venv', hasPython(), 'gql for Python', () => {
  it(
    'reads the schema, checks its operation and pages',
    async () => {
      const env = await installPython('gql[requests]', '4.0.0');
      const { stdout } = await run('python', [join(CLIENTS, 'gql_pages.py'), address], { env, maxBuffer: 1e8 });
      expect(sorted(stdout)).toEqual({ ...all, types: expect.any(Number) });
    },
    INSTALL_TIMEOUT,
  );
});
