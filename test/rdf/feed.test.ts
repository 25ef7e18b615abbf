/** The catalog as an RDF feed, in linked pages and as one stream. Contains only public datasets. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Quad } from '@rdfjs/types';
import { Parser } from 'n3';
import { exportRdf } from '../../src/cli/export-rdf.ts';
import { createWorld, type World } from '../helpers/world.ts';

const DCAT = 'http://www.w3.org/ns/dcat#';
const HYDRA = 'http://www.w3.org/ns/hydra/core#';

let world: World;
beforeAll(async () => {
  world = await createWorld({ 'catalog.site_title': 'Rivers of Town', 'catalog.site_description': 'All of them.' });
  const organization = await world.make.organization({ name: 'town' });
  for (let i = 0; i < 130; i++)
    await world.make.dataset({ name: `river-${String(i).padStart(3, '0')}`, tags: [{ name: i % 2 ? 'odd' : 'even' }] });
  await world.make.dataset({ name: 'hushhush', private: true, ownerOrganization: organization.id });
  await world.make.dataset({ name: 'hushhush-draft', state: 'draft' });
});
afterAll(() => world.end());

const objects = (quads: readonly Quad[], predicate: string): string[] =>
  quads.filter((quad) => quad.predicate.value === predicate).map((quad) => quad.object.value);

async function feed(path: string) {
  const { status, headers, text } = await world.request(path);
  expect(status).toBe(200);
  const quads: Quad[] = new Parser().parse(text);
  const one = (predicate: string) => objects(quads, HYDRA + predicate)[0];
  return { text, headers, datasets: objects(quads, `${DCAT}dataset`).map((iri) => iri.split('/').pop()), one, quads };
}

const path = (iri: string | undefined) => iri!.replace('http://catalog.test', '');

describe('the feed', () => {
  it('links its pages, which have each dataset once', async () => {
    const seen: unknown[] = [];
    let next: string | undefined = '/catalog.ttl?rows=40';
    for (let pages = 0; next; pages++) {
      const page = await feed(next);
      expect(page.one('totalItems')).toBe('130');
      expect(page.one('previous') === undefined).toBe(pages === 0);
      expect(page.one('last')).toBe('http://catalog.test/catalog.ttl?rows=40&page=4');
      expect(page.text).not.toContain('hushhush');
      seen.push(...page.datasets);
      next = page.one('next') && path(page.one('next'));
    }
    expect(seen).toHaveLength(130);
    expect(seen).toEqual([...seen].sort());
    expect(new Set(seen).size).toBe(130);
  });

  it('is compressed as negotiated', async () => {
    for (const path of ['/catalog.ttl', '/catalog.ttl?all=true']) {
      const plain = await world.request(path, { headers: { 'accept-encoding': 'identity' } });
      expect(plain.headers.get('content-encoding')).toBeNull();
      for (const encoding of ['gzip', 'br']) {
        const packed = await world.request(path, { headers: { 'accept-encoding': encoding } });
        expect(packed.headers.get('content-encoding')).toBe(encoding);
        expect(packed.text).toBe(plain.text); // fetch decompresses
      }
    }
  });

  it('has the same pages by number', async () => {
    const [byNumber, first] = [await feed('/catalog.nt?page=2'), await feed('/catalog.nt')];
    expect(byNumber.datasets).toEqual((await feed(path(first.one('next')))).datasets);
    expect(byNumber.datasets).toHaveLength(30);
    expect(byNumber.one('next')).toBeUndefined();
    expect(byNumber.headers.get('link')).toContain('<http://catalog.test/catalog.nt?page=1>; rel="prev"');
    expect((await feed('/catalog.nt?page=9')).datasets).toEqual([]);
  });

  it('skips and repeats nothing when a dataset is created between two pages', async () => {
    const first = await feed('/catalog.ttl?rows=40');
    await world.make.dataset({ name: 'river-000-a' });
    const second = await feed(path(first.one('next')));
    expect([first.datasets.at(-1), second.datasets[0]]).toEqual(['river-039', 'river-040']);
    await world.result('package_delete', { id: 'river-000-a' }, { as: await world.make.sysadmin() });
  });

  it('filters by words, fields and time', async () => {
    expect((await feed('/catalog.ttl?q=name:river-00*')).datasets).toHaveLength(10);
    expect((await feed('/catalog.ttl?fq=tags:odd&fq=name:river-00*')).datasets).toHaveLength(5);
    expect((await feed('/catalog.ttl?modified_since=2020-01-01')).one('totalItems')).toBe('130');
    expect((await feed('/catalog.ttl?modified_since=2099-01-01T00:00:00Z')).datasets).toEqual([]);
  });

  it.each(['rdf', 'ttl', 'jsonld', 'n3', 'nt'])('streams the whole catalog as %s', async (suffix) => {
    const { status, text } = await world.request(`/catalog.${suffix}?all=true`);
    expect(status).toBe(200);
    for (const name of ['river-000', 'river-129']) expect(text).toContain(`http://catalog.test/dataset/${name}`);
    expect(text).not.toContain('hushhush');
    expect(text).not.toContain('hydra:view');
    if (suffix === 'jsonld') expect(JSON.parse(text)['@graph'].length).toBeGreaterThan(130);
  });

  it('is negotiated by Accept', async () => {
    const get = (accept: string) => world.request('/catalog?rows=1', { headers: { accept } });
    expect((await get('text/turtle')).headers.get('content-type')).toBe('text/turtle; charset=utf-8');
    expect((await get('application/ld+json')).headers.get('content-type')).toBe('application/ld+json');
    expect(await get('image/png')).toMatchObject({ status: 406 });
    expect(await world.request('/catalog.xyz')).toMatchObject({ status: 404 });
    const head = await world.request('/catalog.rdf', { method: 'HEAD' });
    expect(head).toMatchObject({ status: 200, text: '' });
  });

  it.each([
    'page=0',
    'page=x',
    'rows=0',
    'rows=5000',
    'modified_since=soon',
    'q=title:[',
    'after=nothing',
    'page=2&rows=9999',
  ])('refuses %s', async (query) => {
    expect(await world.request(`/catalog.ttl?${query}`)).toMatchObject({ status: 400 });
  });

  it('describes the catalog', async () => {
    const { quads, text } = await feed('/catalog.ttl?rows=1');
    expect(text).toContain('dct:title "Rivers of Town"');
    expect(text).toContain('dct:description "All of them."');
    expect(objects(quads, 'http://xmlns.com/foaf/0.1/name')).toContain('Rivers of Town');
  });
});

it('is exported by the command, with private datasets if requested', async () => {
  const text = async (everything: boolean) => {
    let all = '';
    for await (const piece of exportRdf(world.app, 'nt', everything)) all += piece;
    return objects(new Parser().parse(all), `${DCAT}dataset`);
  };
  expect(await text(false)).toHaveLength(130);
  expect(await text(true)).toContain('http://catalog.test/dataset/hushhush');
});
