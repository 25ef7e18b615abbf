/** Linked data of datasets over HTTP: content negotiation, permissions and conditional requests. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestUser } from '../helpers/make.ts';
import { createWorld, type World } from '../helpers/world.ts';

const TYPES = {
  rdf: 'application/rdf+xml; charset=utf-8',
  ttl: 'text/turtle; charset=utf-8',
  jsonld: 'application/ld+json',
  n3: 'text/n3; charset=utf-8',
  nt: 'application/n-triples; charset=utf-8',
};

let world: World;
let admin: TestUser;
let member: TestUser;
let stranger: TestUser;
let id: string;

beforeAll(async () => {
  world = await createWorld({ 'catalog.site_title': 'Data of <b>Town</b>' });
  admin = await world.make.sysadmin();
  member = await world.make.user();
  stranger = await world.make.user();
  const organization = await world.make.organization({ members: { [member.id]: 'member' }, name: 'town' });
  const parts = { ownerOrganization: organization.id, notes: 'All **rivers** </script><script>alert(1)</script>' };
  ({ id } = await world.make.dataset({
    ...parts,
    name: 'rivers',
    title: 'Rivers & <Lakes>',
    author: 'javascript:alert(1)',
    tags: [{ name: 'water' }],
    resources: [{ url: 'http://example.org/a b.csv', format: 'CSV', name: 'Levels' }, { url: 'gopher:old' }],
  }));
  await world.make.dataset({ ...parts, name: 'hidden', title: 'hushhush', private: true });
});
afterAll(() => world.end());

const get = (path: string, headers: Record<string, string> = {}) =>
  world.request(path, { headers, redirect: 'manual' });

describe('a dataset', () => {
  it.each(Object.entries(TYPES))('is served with the suffix .%s', async (suffix, type) => {
    const { status, headers, text } = await get(`/dataset/rivers.${suffix}`);
    expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type });
    expect(text).toContain('http://catalog.test/dataset/rivers');
    expect(text).toContain('http://example.org/a%20b.csv');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('link')).toContain(
      '<http://catalog.test/dataset/rivers.ttl>; rel="alternate"; type="text/turtle"',
    );
  });

  it.each([
    ['application/rdf+xml', 'application/rdf+xml; charset=utf-8'],
    ['text/html;q=0.5, text/turtle', 'text/turtle; charset=utf-8'],
    ['text/n3;q=0.1, application/ld+json;q=0.9', 'application/ld+json'],
    ['application/json', 'application/json; charset=utf-8'],
    ['application/xml', 'application/xml; charset=utf-8'],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html; charset=utf-8'],
    ['*/*', 'text/html; charset=utf-8'],
    ['', 'text/html; charset=utf-8'],
  ])('is negotiated by Accept: %s', async (accept, type) => {
    const { status, headers } = await get('/dataset/rivers', { accept });
    expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type });
    expect(headers.get('vary')).toContain('Accept');
  });

  it('returns 406 for an image type', async () => {
    expect(await get('/dataset/rivers', { accept: 'image/png' })).toMatchObject({ status: 406 });
  });

  it('is the same under its id, and redirects from its id to its name without a suffix', async () => {
    const byId = await get(`/dataset/${id}.nt`);
    expect(byId.text).toBe((await get('/dataset/rivers.nt')).text);
    expect(byId.headers.get('content-location')).toBe('http://catalog.test/dataset/rivers.nt');
    const lead = await get(`/dataset/${id}?x=1`, { accept: 'text/turtle' });
    expect(lead.status).toBe(302);
    expect(lead.headers.get('location')).toBe('http://catalog.test/dataset/rivers?x=1');
  });

  it('returns 304 while it is unchanged', async () => {
    const { headers } = await get('/dataset/rivers.ttl');
    const etag = headers.get('etag')!;
    expect(await get('/dataset/rivers.ttl', { 'if-none-match': etag })).toMatchObject({ status: 304, text: '' });
    expect(await get('/dataset/rivers.nt', { 'if-none-match': etag })).toMatchObject({ status: 200 });
    const modified = headers.get('last-modified')!;
    expect(await get('/dataset/rivers.ttl', { 'if-modified-since': modified })).toMatchObject({ status: 304 });
    expect(headers.get('cache-control')).toBe('public, no-cache');
  });

  it.each(['gzip', 'br', 'identity', 'gzip;q=0'])(
    'has the same ETag for GET and HEAD, with status 200 or 304: %s',
    async (accepted) => {
      for (const path of ['/dataset/rivers.rdf', '/dataset/rivers.ttl', '/dataset/rivers/croissant']) {
        const headers = { 'accept-encoding': accepted };
        const sent = await get(path, headers);
        const tag = sent.headers.get('etag')!;
        for (const method of ['GET', 'HEAD'])
          for (const condition of [{}, { 'if-none-match': tag }] as Record<string, string>[]) {
            const again = await world.request(path, { method, headers: { ...headers, ...condition } });
            expect([path, method, again.status, again.headers.get('etag')]).toEqual([
              path,
              method,
              'if-none-match' in condition ? 304 : 200,
              tag,
            ]);
          }
      }
    },
  );

  it.each([
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=0', null],
  ])('is compressed as negotiated: %s', async (accepted, encoding) => {
    const packed = await get('/dataset/rivers.rdf', { 'accept-encoding': accepted });
    const plain = await get('/dataset/rivers.rdf', { 'accept-encoding': 'identity' });
    expect(packed.headers.get('content-encoding')).toBe(encoding);
    expect(packed.headers.get('vary')).toContain('Accept-Encoding');
    expect(packed.text).toBe(plain.text); // fetch decompresses
    expect(Number(packed.headers.get('content-length')) < plain.text.length).toBe(encoding !== null);
    for (const etag of [packed, plain].map(({ headers }) => headers.get('etag')!))
      expect(await get('/dataset/rivers.rdf', { 'if-none-match': etag })).toMatchObject({ status: 304 });
  });

  it('names related datasets that the reader may see', async () => {
    const relate = (type: string, object: string) =>
      world.result('package_relationship_create', { subject: 'rivers', object, type }, { as: admin });
    const lakes = await world.make.dataset({ name: 'lakes' });
    await relate('derives_from', 'lakes');
    await relate('parent_of', 'lakes');
    await relate('links_to', 'hidden');
    const secret = (await world.result('package_show', { id: 'hidden' }, { as: admin })).id;
    const open = await get('/dataset/rivers.nt');
    const terms = 'http://purl.org/dc/terms/';
    expect(open.text).toContain(`<http://www.w3.org/ns/prov#wasDerivedFrom> <urn:uuid:${lakes.id}>`);
    expect(open.text).toContain(`<${terms}hasPart> <urn:uuid:${lakes.id}>`);
    expect(open.text).not.toContain(secret);
    expect((await world.request('/catalog.nt')).text).not.toContain(secret);
    const known = await get('/dataset/rivers.nt', { authorization: admin.key });
    expect(known.text).toContain(`<${terms}references> <urn:uuid:${secret}>`);
    expect([open, known].map(({ headers }) => headers.get('cache-control'))).toEqual([
      'public, no-cache',
      'private, no-cache',
    ]);
    const other = await get('/dataset/lakes.nt');
    expect(other.text).toContain(`<http://www.w3.org/ns/prov#hadDerivation> <urn:uuid:${id}>`);
    expect(other.text).toContain(`<${terms}isPartOf> <urn:uuid:${id}>`);
  });

  it('answers HEAD', async () => {
    const plain = { 'accept-encoding': 'identity' };
    const response = await world.request('/dataset/rivers.rdf', { method: 'HEAD', headers: plain });
    expect(response).toMatchObject({ status: 200, text: '' });
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(500);
  });

  it('returns 404 for an unknown dataset or suffix', async () => {
    for (const path of ['/dataset/nothing.rdf', '/dataset/rivers.xyz', '/dataset/.rdf'])
      expect(await get(path)).toMatchObject({ status: 404 });
    expect(await get('/dataset/nothing', { accept: 'text/turtle' })).toMatchObject({ status: 404 });
  });
});

describe('a private dataset', () => {
  it('is visible only to members of its organization', async () => {
    for (const path of ['/dataset/hidden.ttl', '/dataset/hidden.rdf']) {
      for (const headers of [{}, { authorization: stranger.key }]) {
        const { status, text } = await get(path, headers as Record<string, string>);
        expect(status).toBe(403);
        expect(text).not.toContain('hushhush');
      }
      const { status, text, headers } = await get(path, { authorization: member.key });
      expect({ status, kept: headers.get('cache-control') }).toEqual({ status: 200, kept: 'private, no-cache' });
      expect(text).toContain('hushhush');
    }
  });

  it('redirects visitors to the login', async () => {
    const { status, headers } = await get('/dataset/hidden');
    expect(status).toBe(303);
    expect(headers.get('location')).toBe('/user/login?notice=needed&came_from=%2Fdataset%2Fhidden');
    expect(await get('/dataset/hidden', { authorization: stranger.key })).toMatchObject({ status: 403 });
    expect((await get('/dataset/hidden', { authorization: member.key })).text).toContain('hushhush');
  });
});

describe('the page of a dataset', () => {
  it('escapes scripts in the data, and links to every format', async () => {
    const { text, headers } = await get('/dataset/rivers');
    expect(text).toContain('<h1>Rivers &amp; &lt;Lakes></h1>');
    expect(text).toContain('All <strong>rivers</strong> &lt;/script&gt;');
    expect(text.match(/<script[^>]*>/g)).toEqual([
      expect.stringContaining('src="/static/'),
      expect.stringContaining('type="application/ld+json"'),
    ]);
    expect(text).not.toContain('href="javascript:');
    for (const suffix of Object.keys(TYPES)) expect(text).toContain(`href="/dataset/rivers.${suffix}"`);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
    expect(headers.get('cache-control')).toBe('public, max-age=60, stale-while-revalidate=60');
  });

  it('has schema.org data for search engines', async () => {
    const { text } = await get('/dataset/rivers');
    const json = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text)?.[1];
    expect(JSON.parse(json!)).toMatchObject({
      '@context': 'https://schema.org/',
      '@type': 'Dataset',
      '@id': 'http://catalog.test/dataset/rivers',
      name: 'Rivers & <Lakes>',
      description: 'All **rivers** </script><script>alert(1)</script>',
      keywords: ['water'],
      publisher: { '@type': 'Organization', name: 'town' },
      distribution: [{ '@type': 'DataDownload', name: 'Levels', encodingFormat: 'CSV' }, { '@type': 'DataDownload' }],
    });
  });

  it('is the target of redirects from its id and from its resources', async () => {
    const location = async (path: string) => (await get(path)).headers.get('location');
    expect(await location(`/dataset/${id}`)).toBe('/dataset/rivers');
    const [{ id: resource }] = (await world.result('package_show', { id })).resources;
    expect(await location(`/dataset/${id}/resource/${resource}`)).toBe(`/dataset/rivers/resource/${resource}`);
  });
});
