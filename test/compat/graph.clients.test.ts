/** Unmodified GraphQL clients. Each pages through all real datasets by cursor. */
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
/** Sorted names of all datasets, and the number of their pages of 100. */
let all: { pages: number; names: string[] };
beforeAll(async () => {
  world = await createSampleWorld();
  admin = await world.make.sysadmin();
  address = `${world.base}/graphql`;
  const names: string[] = await world.result('package_list');
  all = { pages: Math.ceil(names.length / 100), names: names.sort() };
}, MINUTES);
afterAll(() => world?.end());

/** The output of a client with sorted names. A duplicate name stays a duplicate. */
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
    'Relay: compiles fragments, pages in both directions, refetches by id, and runs mutations',
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
    'Apollo Client: merges the pages in its cache',
    async () => {
      expect(await client('apollo.cjs')).toEqual(all);
    },
    MINUTES,
  );

  it(
    'Apollo Client: updates a cached query by `id` after a mutation',
    async () => {
      const [name = ''] = all.names;
      const { title } = await world.result('package_show', { id: name });
      const { stdout } = await run(process.execPath, [join(folder, 'apollo-update.cjs'), address, admin.key, name]);
      expect(JSON.parse(stdout)).toEqual({ titles: [title, 'Changed through Apollo'], requests: 2, objects: 1 });
    },
    MINUTES,
  );

  it(
    'urql: pages by GET',
    async () => {
      expect(await client('urql.cjs')).toEqual(all);
    },
    MINUTES,
  );
});

describe('graphql-ws', () => {
  it(
    'pages over one connection, and follows the log from its start',
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
    'reads the schema, validates its operation and pages',
    async () => {
      const env = await installPython('gql[requests]', '4.0.0');
      const { stdout } = await run('python', [join(CLIENTS, 'gql_pages.py'), address], { env, maxBuffer: 1e8 });
      expect(sorted(stdout)).toEqual({ ...all, types: expect.any(Number) });
    },
    INSTALL_TIMEOUT,
  );
});
