/** The catalog as a subgraph of a running Apollo Federation gateway, beside another subgraph. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { installNpm } from '../../scripts/npm.mjs';
import { projectRoot } from '../../src/kernel/root.ts';
import type { TestUser } from '../helpers/make.ts';
import { INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

const CREATOR = 'An organization that publishes';

interface Named {
  id: string;
  name: string;
}

let world: World;
let member: TestUser;
let folder: string;
let gateway: ChildProcess;
let address: string;
let first: Named;
let second: Named;
let hidden: Named;
beforeAll(async () => {
  world = await createWorld();
  member = await world.make.user();
  const organization = await world.make.organization({ title: CREATOR, members: { [member.id]: 'editor' } });
  const of = { ownerOrganization: organization.id };
  first = await world.make.dataset({ ...of, title: 'First', licenseId: 'cc-by' });
  second = await world.make.dataset({ ...of, title: 'Second' });
  hidden = await world.make.dataset({ ...of, title: 'Hidden', private: true });
  const packages = await installNpm({
    '@apollo/gateway': '2.14.4',
    '@apollo/server': '5.5.1',
    '@apollo/subgraph': '2.14.4',
    graphql: '16.15.0',
  });
  folder = mkdtempSync(join(projectRoot, '.cache', 'gateway-'));
  cpSync(join(projectRoot, 'test/compat/clients/gateway.cjs'), join(folder, 'gateway.cjs'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }');
  symlinkSync(join(packages, 'node_modules'), join(folder, 'node_modules'));
  const ids = [first, second, hidden].map(({ id }) => id);
  gateway = spawn(process.execPath, [join(folder, 'gateway.cjs'), `${world.base}/graphql`, ...ids]);
  address = await started(gateway);
}, INSTALL_TIMEOUT);
afterAll(async () => {
  gateway?.kill();
  if (folder) rmSync(folder, { recursive: true, force: true });
  await world?.end();
});

/** The address that the gateway prints. @throws Error with its output if it ends */
function started(child: ChildProcess): Promise<string> {
  let said = '';
  child.stderr!.on('data', (text) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout! }).on('line', (line) => line.startsWith('http') && resolve(line));
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code}: ${said.slice(-3_000)}`)));
  });
}

async function ask(query: string, variables: object = {}, as?: TestUser): Promise<any> {
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(as && { authorization: as.key }) },
    body: JSON.stringify({ query, variables }),
  });
  return answer.json();
}

it('joins datasets of another subgraph by their UUID, and pages of both', async () => {
  const { data, errors } = await ask(`{
    top(first: 2) { nodes { name title stars organization { title } } pageInfo { hasNextPage } }
    datasets(first: 1) { totalCount nodes { name stars license { title uses } } pageInfo { hasNextPage endCursor } } }`);
  expect(errors).toBeUndefined();
  expect(data.top).toEqual({
    nodes: [
      { name: first.name, title: 'First', stars: 1, organization: { title: CREATOR } },
      { name: second.name, title: 'Second', stars: 2, organization: { title: CREATOR } },
    ],
    pageInfo: { hasNextPage: true },
  });
  expect(data.datasets).toMatchObject({ totalCount: 2, pageInfo: { hasNextPage: true } });
  const [node] = data.datasets.nodes;
  expect(node.stars).toBe(node.name === first.name ? 1 : 2);
});

it('reads further fields of an entity that the catalog returned', async () => {
  const query = 'query ($name: String!) { dataset(name: $name) { title stars license { code uses } } }';
  expect((await ask(query, { name: first.name })).data.dataset).toEqual({
    title: 'First',
    stars: 1,
    license: { code: 'cc-by', uses: 5 },
  });
});

it('hides private datasets from callers who may not read them', async () => {
  const query = '{ top(first: 3) { nodes { databaseId stars } } }';
  expect((await ask(query)).data.top.nodes).toHaveLength(3); // the other subgraph knows them
  const named = '{ top(first: 3) { nodes { name } } }';
  const anonymous = await ask(named);
  expect(JSON.stringify(anonymous)).not.toContain(hidden.name);
  expect(anonymous.data).toBeNull(); // the name is not nullable
  expect((await ask(named, {}, member)).data.top.nodes[2]).toEqual({ name: hidden.name });
});

it('forwards mutations and their errors', async () => {
  const mutation = `mutation ($input: UpdateDatasetInput!) { updateDataset(input: $input) {
    dataset { title stars } errors { code } } }`;
  const { id } = (await ask('query ($name: String!) { dataset(name: $name) { id } }', { name: second.name })).data
    .dataset;
  const input = { dataset: id, title: 'Changed through the gateway' };
  expect((await ask(mutation, { input }, member)).data.updateDataset).toEqual({
    dataset: { title: input.title, stars: 2 },
    errors: [],
  });
  const { data, errors } = await ask(mutation, { input });
  expect(data?.updateDataset?.errors ?? errors).toMatchObject([{}]);
});
