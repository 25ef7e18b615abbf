/** Trusted documents, automatic persisted queries and the caching of answers to GET. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadTrusted } from '../../src/graph/persisted/trusted.ts';
import { publicSchema as schema } from '../../src/graph/schema.ts';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

const SITE = 'query Site { site { siteId } }';
const NAMES = 'query Names($first: Int) { datasets(first: $first) { nodes { name } } }';
const FILED = 'query Filed { site { title } }';
const sha = (text: string) => createHash('sha256').update(text).digest('hex');
const extensions = (text: string) => ({ persistedQuery: { version: 1, sha256Hash: sha(text) } });

const folder = mkdtempSync(join(tmpdir(), 'trusted-'));
writeFileSync(join(folder, 'relay.json'), JSON.stringify({ 'site-1': SITE }));
writeFileSync(
  join(folder, 'apollo.json'),
  JSON.stringify({
    format: 'apollo-persisted-query-manifest',
    version: 1,
    operations: [{ id: sha(NAMES), name: 'Names', type: 'query', body: NAMES }],
  }),
);
writeFileSync(join(folder, 'filed.graphql'), FILED);
writeFileSync(join(folder, 'notes.txt'), 'not looked at');

let open: World;
let closed: World;
let user: TestUser;
beforeAll(async () => {
  open = await createWorld({ 'catalog.graphql.documents': folder }, { counts: true });
  closed = await createWorld(
    {
      'catalog.graphql.documents': join(folder, 'relay.json'),
      'catalog.graphql.trusted_only': true,
    },
    { counts: true },
  );
  user = await closed.make.user();
});
afterAll(async () => {
  await Promise.all([open.end(), closed.end()]);
  rmSync(folder, { recursive: true });
});

const post = (world: World, body: object, headers: Record<string, string> = {}) =>
  world.request('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json', ...headers },
    body: JSON.stringify(body),
  });
const get = (world: World, parameters: Record<string, unknown>, headers: Record<string, string> = {}) =>
  world.request(
    `/graphql?${new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]))}`,
    { headers },
  );

describe('a trusted document', () => {
  it('runs by name or hash, over POST and GET', async () => {
    const data = { site: { siteId: 'default' } };
    for (const documentId of ['site-1', `sha256:${sha(SITE)}`]) {
      expect((await post(open, { documentId })).body).toMatchObject({ data });
      expect((await get(open, { documentId })).body).toMatchObject({ data });
    }
    expect((await post(open, { extensions: extensions(SITE) })).body).toMatchObject({ data });
    expect((await post(open, { documentId: sha(NAMES), variables: { first: 1 } })).body).toMatchObject({
      data: { datasets: { nodes: [] } },
    });
    expect((await post(open, { documentId: sha(FILED), operationName: 'Filed' })).status).toBe(200);
  });

  it('returns 404 for an unknown id and 400 for an invalid request', async () => {
    for (const documentId of ['site-2', `sha256:${sha('x')}`, '__proto__', 'x'.repeat(1_000)]) {
      const answer = await post(open, { documentId });
      expect({ status: answer.status, code: answer.body.errors[0].extensions.code }).toEqual({
        status: 404,
        code: 'PERSISTED_DOCUMENT_NOT_FOUND',
      });
    }
    expect((await post(open, { documentId: 'site-1', query: SITE })).status).toBe(400);
    expect((await post(open, { documentId: 5 })).status).toBe(400);
  });

  it('obeys the same limits', async () => {
    const answer = await post(open, { documentId: sha(NAMES), variables: { first: 101 } });
    expect(answer.body.errors[0].extensions.limit).toMatchObject({ name: 'page', value: 101 });
  });
});

describe('with trusted_only', () => {
  it('refuses documents of visitors before any statement runs', async () => {
    for (const body of [
      { query: FILED },
      { query: FILED, extensions: extensions(FILED) },
      { query: `${SITE} ` },
      { query: '{ __typename }' },
    ]) {
      const statements = await closed.statementsOf(async () => {
        const answer = await post(closed, body);
        expect({ status: answer.status, code: answer.body.errors[0].extensions.code }).toEqual({
          status: 403,
          code: 'NOT_AUTHORIZED',
        });
      });
      expect(statements).toEqual([]);
    }
    expect((await get(closed, { query: FILED })).status).toBe(403);
  });

  it('runs trusted documents by name, hash or text', async () => {
    for (const body of [{ documentId: 'site-1' }, { query: SITE }, { query: SITE, extensions: extensions(SITE) }])
      expect((await post(closed, body)).status).toBe(200);
  });

  it('runs documents of users, and does not share them with visitors', async () => {
    const headers = { authorization: user.key };
    expect((await post(closed, { query: FILED, extensions: extensions(FILED) }, headers)).status).toBe(200);
    expect((await post(closed, { extensions: extensions(FILED) }, headers)).status).toBe(200);
    expect((await post(closed, { extensions: extensions(FILED) })).status).toBe(403);
  });
});

describe('an automatic persisted query', () => {
  const QUERY = '{ site { url } }';

  it('runs by hash once it has been sent with its text', async () => {
    const unknown = await get(open, { extensions: extensions(QUERY) });
    expect(unknown.status).toBe(200);
    expect(unknown.body.errors).toEqual([
      { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } },
    ]);
    expect(unknown.headers.get('cache-control')).toBe('no-store');
    expect((await get(open, { query: QUERY, extensions: extensions(QUERY) })).status).toBe(200);
    expect((await get(open, { extensions: extensions(QUERY) })).body.data).toEqual({
      site: { url: 'http://catalog.test' },
    });
    expect((await post(open, { documentId: `sha256:${sha(QUERY)}` })).status).toBe(200);
  });

  it('is stored only if its hash matches and the document is valid', async () => {
    expect((await post(open, { query: QUERY, extensions: extensions(SITE) })).status).toBe(400);
    const bad = '{ nothing }';
    expect((await post(open, { query: bad, extensions: extensions(bad) })).status).toBe(400);
    expect((await post(open, { extensions: extensions(bad) })).body.errors[0].message).toBe('PersistedQueryNotFound');
    for (const persistedQuery of [
      { version: 2, sha256Hash: sha(QUERY) },
      { version: 1, sha256Hash: 'x' },
      { version: 1 },
      5,
    ])
      expect((await post(open, { extensions: { persistedQuery } })).status).toBe(400);
  });
});

describe('an answer to GET', () => {
  const parameters = { documentId: sha(NAMES), variables: { first: 5 } };

  it('is public for visitors and revalidated by its ETag', async () => {
    const first = await get(open, parameters);
    expect(first.headers.get('cache-control')).toBe('public, no-cache');
    expect(first.headers.get('vary')).toBe(
      'Accept, Accept-Encoding, Authorization, Cookie, X-CKAN-API-Key, X-CATALOG-API-Key',
    );
    const etag = first.headers.get('etag')!;
    const again = await get(open, parameters, { 'if-none-match': etag });
    expect({ status: again.status, text: again.text, etag: again.headers.get('etag') }).toEqual({
      status: 304,
      text: '',
      etag,
    });
    await open.make.dataset({ name: 'new-here' });
    const changed = await get(open, parameters, { 'if-none-match': etag });
    expect(changed.body.data.datasets.nodes).toEqual([{ name: 'new-here' }]);
    expect(changed.headers.get('etag')).not.toBe(etag);
  });

  it('is private for users', async () => {
    const someone = await open.make.user();
    const answer = await get(open, parameters, { authorization: someone.key });
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');
    expect(answer.headers.get('etag')).toBeTruthy();
  });

  it('is not cacheable if it has errors, nor is an answer to POST', async () => {
    const failed = await get(open, { query: '{ dataset(name: "none") { name } }' });
    for (const { headers } of [failed, await get(open, { query: '{' }), await post(open, { query: SITE })]) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('etag')).toBeNull();
    }
  });

  it('has the configured max-age', async () => {
    const lasting = await createWorld({ 'catalog.graphql.max_age': 60 }, { counts: true });
    try {
      expect((await get(lasting, { query: SITE })).headers.get('cache-control')).toBe('public, max-age=60');
    } finally {
      await lasting.end();
    }
  });
});

describe('a manifest', () => {
  it.each([
    ['no JSON', 'a.json', '{'],
    ['a list', 'b.json', '[5]'],
    ['a document that the schema does not know', 'c.json', '{"x":"{ nothing }"}'],
    ['no document', 'd.graphql', '{'],
    ['a name without a text', 'e.json', '{"x":5}'],
  ])('with %s stops the startup with an error that names the file', (_what, name, content) => {
    const bad = join(folder, 'bad');
    mkdirSync(bad, { recursive: true });
    writeFileSync(join(bad, name), content);
    expect(() => loadTrusted(join(bad, name), schema)).toThrow(`catalog.graphql.documents: ${join(bad, name)}: `);
    rmSync(bad, { recursive: true });
  });

  it('that is missing stops the startup too', () => {
    expect(() => loadTrusted(join(folder, 'none.json'), schema)).toThrow('none.json');
  });
});
