/** clients/typescript against a real server, and against one that is busy. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  accepted,
  CatalogFailure,
  Changes,
  Conflict,
  CreateDataset,
  CreateResource,
  createCatalog,
  DatasetByName,
  Datasets,
  type Document,
  Invalid,
  Organizations,
  RateLimited,
  SearchDatasets,
  UpdateDataset,
} from '../../clients/typescript/src/index.ts';
import { toGlobalId } from '../../src/kernel/ids.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());

/** The thrown error, which must be a `CatalogFailure`. */
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
    expect((await visitor.run(DatasetByName, { name: 'client-3' })).dataset?.title).toBe('River client-3');
    expect((await visitor.run(SearchDatasets, { query: 'river', first: 2 })).search).toMatchObject({ totalCount: 7 });
    expect((await visitor.run(Organizations, {})).organizations.nodes).toEqual([]);
  });

  it('returns pages, and continues after a cursor', async () => {
    const catalog = createCatalog({ url: world.base });
    const sizes: number[] = [];
    let after: string | null | undefined;
    for await (const { nodes, pageInfo } of catalog.pages(Datasets, { first: 5 }, (data) => data.datasets)) {
      sizes.push(nodes.length);
      after ??= pageInfo.endCursor;
    }
    expect(sizes).toEqual([5, 2]);
    const rest: string[] = [];
    for await (const { name } of catalog.all(Datasets, { first: 1, after }, (data) => data.datasets)) rest.push(name);
    expect(rest).toHaveLength(2);
    const seen: string[] = [];
    for await (const { cursor } of catalog.all(Changes, { first: 2 }, (data) => data.changes)) seen.push(cursor);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThanOrEqual(7);
    const noCursor = {
      text: 'query ($after: String) { datasets(first: 1, after: $after) { nodes { name } pageInfo { hasNextPage } } }',
    };
    const all = catalog.all<any, { after?: string }, { name: string }>(noCursor, {}, (data) => data.datasets);
    await all.next();
    expect((await failureOf(all.next())).message).toContain('endCursor');
  });

  it('throws a separate error for each kind of refused mutation', async () => {
    const admin = await world.make.sysadmin();
    const catalog = createCatalog({ url: world.base, key: admin.key });
    const { dataset } = accepted((await catalog.run(CreateDataset, { input: { name: 'kinds' } })).createDataset);
    const patch = async (input: object) =>
      accepted((await catalog.run(UpdateDataset, { input: { dataset: dataset.id, ...input } })).updateDataset);
    expect((await patch({ title: 'Kinds', expectedVersion: dataset.version })).dataset.title).toBe('Kinds');
    const late = await failureOf(patch({ title: 'Others', expectedVersion: dataset.version }));
    expect(late).toBeInstanceOf(Conflict);
    expect(late).toMatchObject({ currentVersion: dataset.version + 1, code: 'CONFLICT', name: 'Conflict' });
    const wrong = await failureOf(patch({ name: 'Not a name', tags: [{ name: '#' }] }));
    expect(wrong).toBeInstanceOf(Invalid);
    const fields = (wrong as Invalid).fields.map(({ path }) => path.join('.'));
    expect(fields).toEqual(expect.arrayContaining(['name', 'tags.0']));
    const { code, message } = await failureOf(patch({ dataset: toGlobalId('Dataset', 'none') }));
    expect({ code, message }).toEqual({ code: 'NOT_FOUND', message: expect.stringMatching(/./) });
  });

  it('sends files', async () => {
    const admin = await world.make.sysadmin();
    // The site's own URL differs from the address of this test server.
    const here: typeof fetch = (url, init) =>
      fetch(String(url).replace(world.settings['catalog.site_url'], world.base), init);
    const catalog = createCatalog({ url: world.base, key: admin.key, fetch: here });
    const { createDataset } = await catalog.run(CreateDataset, { input: { name: 'with-file' } });
    const { dataset } = accepted(createDataset);
    const text = 'station,level\nBridge,2.4\n';
    const upload = await catalog.upload(new Blob([text], { type: 'text/csv' }), { name: 'levels.csv' });
    const input = { dataset: dataset.id, resource: { name: 'Levels' }, upload };
    const { resource } = accepted((await catalog.run(CreateResource, { input })).createResource);
    expect(resource.url).toMatch(/\/levels\.csv$/);
    expect((await world.request(new URL(resource.url).pathname)).text).toBe(text);
    expect((await catalog.upload(new File(['x'], 'own.txt'))).name).toBe('own.txt');

    const wrong = await failureOf(catalog.upload(new Blob(['x']), { sha256: '0'.repeat(64) }));
    expect(wrong).toBeInstanceOf(Invalid);
    expect(wrong).toMatchObject({ status: 400, fields: [{ path: ['sha256'] }] });
    expect(await failureOf(createCatalog({ url: world.base }).upload(new Blob(['x'])))).toMatchObject({
      code: 'NOT_AUTHORIZED',
    });
  });

  it('rejects with the reason of an aborted signal', async () => {
    const catalog = createCatalog({ url: world.base });
    const reason = new Error('enough');
    await expect(catalog.run(Datasets, {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it('throws errors of the graph with their code and the request id', async () => {
    const catalog = createCatalog({ url: world.base });
    const missing = await failureOf(catalog.run(DatasetByName, { name: 'none' }));
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

  it('gets the request again when it answers with Retry-After', async () => {
    answers = [
      [429, { 'retry-after': '0' }, BUSY],
      [503, { 'retry-after': '0' }, ''],
      [200, {}, GOOD],
    ];
    expect(await createCatalog({ url }).run(SITE, {})).toEqual({ site: { title: 'Here' } });
    expect(answers).toEqual([]);
  });

  it('gets a limited number of retries, and none after a long Retry-After', async () => {
    answers = Array.from({ length: 3 }, () => [429, { 'retry-after': '0' }, BUSY]);
    expect(await failureOf(createCatalog({ url, retries: 2 }).run(SITE, {}))).toMatchObject({
      status: 429,
      code: 'RATE_LIMIT',
    });
    expect(answers).toEqual([]);
    answers = [[429, { 'retry-after': '3600' }, BUSY]];
    const limited = await failureOf(createCatalog({ url }).run(SITE, {}));
    expect(limited).toBeInstanceOf(RateLimited);
    expect(limited).toMatchObject({ status: 429, retryAfter: 3_600 });
  });

  it('gets no retry of a mutation that it may have executed', async () => {
    const later: (typeof answers)[number] = [503, { 'retry-after': '0' }, ''];
    const done: (typeof answers)[number] = [200, {}, '{"data":{"createDataset":{"dataset":null,"errors":[]}}}'];
    const create = (input: object) => createCatalog({ url }).run(CreateDataset, { input: { name: 'once', ...input } });
    answers = [later, done];
    expect((await failureOf(create({}))).status).toBe(503);
    answers = [[429, { 'retry-after': '0' }, BUSY], done];
    await create({});
    answers = [later, done];
    await create({ idempotencyKey: 'k' });
    expect(answers).toEqual([]);
    const both = {
      text: 'mutation ($input: A!, $other: B!) { a(input: $input) { id } b(input: $other) { id } }',
    } as Document<object, object>;
    answers = [later, done];
    const half = createCatalog({ url }).run(both, { input: { idempotencyKey: 'k' }, other: { name: 'twice' } });
    expect((await failureOf(half)).status).toBe(503);
    answers = [later, done];
    await createCatalog({ url }).run(both, { input: { idempotencyKey: 'k' }, other: { idempotencyKey: 'l' } });
    expect(answers).toEqual([]);
  });

  it('gets no retry after the caller has aborted the wait', async () => {
    answers = [[429, { 'retry-after': '50' }, BUSY]];
    const stop = new AbortController();
    const asked = createCatalog({ url }).run(SITE, {}, { signal: stop.signal });
    while (answers.length > 0) await new Promise((resolve) => setImmediate(resolve));
    stop.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
  });

  it('may send a response that is not GraphQL, or be unreachable', async () => {
    for (const body of ['<h1>Bad gateway</h1>', '', 'null', '5', '[]', '{}']) {
      answers = [[502, {}, body]];
      expect((await failureOf(createCatalog({ url, retries: 0 }).run(SITE, {}))).message).toContain(
        'Not a GraphQL response (status 502)',
      );
    }
    expect(await failureOf(createCatalog({ url: 'http://127.0.0.1:9' }).run(SITE, {}))).toMatchObject({
      status: 0,
      code: null,
    });
  });
});
