/** clients/typescript against a real server, and against one that is busy. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  CatalogFailure,
  CreateDataset,
  createCatalog,
  DatasetByName,
  Datasets,
  Organizations,
  SearchDatasets,
} from '../../clients/typescript/src/index.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());

/** What is thrown, which must be a failure. */
async function failureOf(work: Promise<unknown>): Promise<CatalogFailure> {
  const thrown = await work.then(
    () => null,
    (failure: unknown) => failure,
  );
  expect(thrown).toBeInstanceOf(CatalogFailure);
  return thrown as CatalogFailure;
}

describe('the client', () => {
  it('writes, reads, and pages through everything', async () => {
    const admin = await world.make.sysadmin();
    const catalog = createCatalog({ url: `${world.base}/`, key: admin.key });
    const names = Array.from({ length: 7 }, (_, n) => `client-${n}`);
    for (const name of names) {
      const { createDataset } = await catalog.run(CreateDataset, { input: { name, title: `River ${name}` } });
      expect(createDataset).toMatchObject({ dataset: { name, organization: null, resources: [] }, errors: [] });
    }
    const { createDataset: again } = await catalog.run(CreateDataset, { input: { name: 'client-0' } });
    expect(again).toMatchObject({ dataset: null, errors: [{ path: ['name'] }] });

    const found: string[] = [];
    for await (const { name } of catalog.all(Datasets, { first: 3 }, (data) => data.datasets)) found.push(name);
    expect(found.sort()).toEqual(names);
    const visitor = createCatalog({ url: world.base });
    expect((await visitor.run(DatasetByName, { idOrName: 'client-3' })).dataset?.title).toBe('River client-3');
    expect((await visitor.run(SearchDatasets, { query: 'river', first: 2 })).search).toMatchObject({ totalCount: 7 });
    expect((await visitor.run(Organizations, {})).organizations.nodes).toEqual([]);
  });

  it('throws what the graph refuses, with its kind and the id of the request', async () => {
    const catalog = createCatalog({ url: world.base });
    const missing = await failureOf(catalog.run(DatasetByName, { idOrName: 'none' }));
    expect(missing).toMatchObject({ code: 'NOT_FOUND', status: 200, requestId: expect.stringMatching(/^[\w-]+$/) });
    const dear = await failureOf(catalog.run(Datasets, { first: 101 }));
    expect(dear).toMatchObject({ code: 'LIMIT', status: 400 });
    expect(dear.errors[0]!.extensions!.limit).toMatchObject({ name: 'page', value: 101, allowed: 100 });
  });
});

describe('a server that is busy', () => {
  let server: Server;
  let url: string;
  let answers: [status: number, headers: Record<string, string>, body: string][];
  beforeAll(async () => {
    server = createServer((_req, res) => {
      const [status, headers, body] = answers.shift()!;
      res.writeHead(status, headers).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  const SITE = { text: '{ site { title } }' } as {
    text: string;
    types?: (variables: object) => { site: { title: string } };
  };
  const GOOD = '{"data":{"site":{"title":"Here"}}}';
  const BUSY = '{"errors":[{"message":"later","extensions":{"code":"RATE_LIMIT"}}]}';

  it('is asked again when it says so', async () => {
    answers = [
      [429, { 'retry-after': '0' }, BUSY],
      [503, { 'retry-after': '0' }, ''],
      [200, {}, GOOD],
    ];
    expect(await createCatalog({ url }).run(SITE, {})).toEqual({ site: { title: 'Here' } });
    expect(answers).toEqual([]);
  });

  it('is not asked for ever, nor after longer than one would wait', async () => {
    answers = Array.from({ length: 3 }, () => [429, { 'retry-after': '0' }, BUSY]);
    expect(await failureOf(createCatalog({ url, retries: 2 }).run(SITE, {}))).toMatchObject({
      status: 429,
      code: 'RATE_LIMIT',
    });
    expect(answers).toEqual([]);
    answers = [[429, { 'retry-after': '3600' }, BUSY]];
    expect((await failureOf(createCatalog({ url }).run(SITE, {}))).status).toBe(429);
  });

  it('may answer nothing of a graph, or not at all', async () => {
    for (const body of ['<h1>Bad gateway</h1>', '', 'null', '5', '[]', '{}']) {
      answers = [[502, {}, body]];
      expect((await failureOf(createCatalog({ url }).run(SITE, {}))).message).toContain('none of a graph (status 502)');
    }
    expect(await failureOf(createCatalog({ url: 'http://127.0.0.1:9' }).run(SITE, {}))).toMatchObject({
      status: 0,
      code: null,
    });
  });
});
