/** Harvests of DCAT feeds from a real HTTP server: all formats, pages, and malicious feeds. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { harvest } from '../../src/harvest/run/harvest.ts';
import type { RunRecord } from '../../src/harvest/run/run.store.ts';
import { type SourceRecord, sourceCreate, sourceShow } from '../../src/harvest/source/source.service.ts';
import { type ElsewhereServer, serveElsewhere } from '../helpers/http.ts';
import { createWorld, type World } from '../helpers/world.ts';

type Page = {
  type?: string;
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer | ((res: ServerResponse) => void);
};

let world: World;
let server: ElsewhereServer;
let base: string;
let pages: Record<string, Page | ((req: IncomingMessage) => Page)>;
let asked: string[];
beforeAll(async () => {
  world = await createWorld();
  server = await serveElsewhere((req, res) => {
    asked.push(req.url!);
    const found = pages[req.url!] ?? pages['*'];
    const page = typeof found === 'function' ? found(req) : found;
    res.writeHead(page?.status ?? (page ? 200 : 404), { 'content-type': page?.type ?? 'text/plain', ...page?.headers });
    if (typeof page?.body === 'function') page.body(res);
    else res.end(page?.body);
  });
  base = server.base;
});
beforeEach(() => {
  asked = [];
});
afterAll(async () => {
  await server.stop();
  await world.end();
});

const call = () => world.app.callAs(world.system);
let count = 0;
const sourceOf = (path: string): Promise<SourceRecord> => {
  count += 1;
  return sourceCreate(call(), { name: `feed-${count}`, url: base + path, kind: 'DCAT', perSecond: 1_000 });
};

async function run(source: SourceRecord, how: { force?: boolean; mayReachPrivate?: boolean } = {}) {
  const said: string[] = [];
  const options = {
    runner: { run: world.app.run, call },
    databaseUrl: world.database.url,
    mayReachPrivate: true,
    ...how,
  };
  const ended: RunRecord = await harvest({
    ...options,
    source: await sourceShow(call(), source.id),
    onRemark: (line) => said.push(line),
  });
  return { ...ended, said };
}

const PREFIXES = `@prefix dcat: <http://www.w3.org/ns/dcat#> . @prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> . @prefix vcard: <http://www.w3.org/2006/vcard/ns#> . @prefix hydra: <http://www.w3.org/ns/hydra/core#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix locn: <http://www.w3.org/ns/locn#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
`;
const RIVERS = `<https://far.example/d/rivers> a dcat:Dataset ; dct:title "Flüsse"@de, "Rivers"@en ; dct:description "Levels"@en ;
  dcat:keyword "water, levels", "no/tag" ; dcat:theme <http://publications.europa.eu/resource/authority/data-theme/ENVI> ;
  dct:publisher [ a foaf:Organization ; foaf:name "Board of Rivers" ; foaf:homepage <https://board.example/> ] ;
  dcat:contactPoint [ vcard:fn "Ann" ; vcard:hasEmail <mailto:ann@far.example> ] ;
  dct:license <http://www.opendefinition.org/licenses/cc-by> ; dct:modified "2026-01-02" ; dct:language <http://publications.europa.eu/resource/authority/language/ENG> ;
  dct:spatial [ locn:geometry "POINT(1 2)" ; skos:prefLabel "Here" ] ; dct:temporal [ dcat:startDate "2020-01-01" ; dcat:endDate "2021-01-01" ] ;
  dcat:landingPage <https://far.example/rivers> ;
  dcat:distribution <https://far.example/d/rivers/csv>, [ dct:title "Page" ; dcat:accessURL <https://far.example/rivers.html> ] .
<https://far.example/d/rivers/csv> a dcat:Distribution ; dct:title "Table" ; dcat:accessURL <https://far.example/d/rivers> ;
  dcat:downloadURL <https://far.example/rivers.csv> ; dcat:mediaType <https://www.iana.org/assignments/media-types/text/csv> ;
  dct:format <http://publications.europa.eu/resource/authority/file-type/CSV> ; dcat:byteSize "1024" .
`;
const turtle = (body: string): Page => ({ type: 'text/turtle; charset=utf-8', body: PREFIXES + body });
const simple = (id: string, title = id) => `<https://far.example/d/${id}> a dcat:Dataset ; dct:title "${title}" .\n`;
const show = (id: string) => world.result('package_show', { id }, { get: true });
const written = async () =>
  (
    await world.database.pool.query(
      'SELECT (SELECT count(*)::int FROM revision) AS revisions, (SELECT count(*)::int FROM change) AS changes',
    )
  ).rows;

describe('a feed', () => {
  it('in Turtle with pages is copied, and later runs write only changes', async () => {
    pages = {
      '/t': turtle(`${RIVERS} <https://far.example/c> hydra:totalItems 3 . </t> hydra:next </t?page=2> .`),
      '/t?page=2': turtle(`${simple('lakes')} ${simple('seas')} </t?page=2> hydra:previous </t> .`),
    };
    const source = await sourceOf('/t');
    expect(await run(source)).toMatchObject({ state: 'done', created: 3, failed: 0, said: [] });
    const rivers = await show('rivers');
    expect(rivers).toMatchObject({
      title: 'Rivers',
      notes: 'Levels',
      url: 'https://far.example/rivers',
      license_id: 'cc-by',
      maintainer: 'Ann',
      maintainer_email: 'ann@far.example',
      organization: { name: 'board-of-rivers', title: 'Board of Rivers' },
      tags: [{ name: 'levels' }, { name: 'water' }],
      resources: [
        {
          name: 'Table',
          url: 'https://far.example/rivers.csv',
          access_url: 'https://far.example/d/rivers',
          format: 'CSV',
          mimetype: 'text/csv',
          size: 1024,
        },
        { name: 'Page', url: 'https://far.example/rivers.html' },
      ],
    });
    expect(Object.fromEntries(rivers.extras.map(({ key, value }: any) => [key, value]))).toMatchObject({
      modified: '2026-01-02',
      title_translated: '{"de":"Flüsse","en":"Rivers"}',
      publisher_name: 'Board of Rivers',
      publisher_url: 'https://board.example/',
      contact_email: 'ann@far.example',
      theme: '["http://publications.europa.eu/resource/authority/data-theme/ENVI"]',
      spatial: 'POINT(1 2)',
      spatial_text: 'Here',
      temporal_start: '2020-01-01',
      temporal_end: '2021-01-01',
      keywords: '["no/tag"]',
    });
    const before = await written();
    expect(await run(source)).toMatchObject({ state: 'done', created: 0, updated: 0, unchanged: 3, deleted: 0 });
    expect(await written()).toEqual(before);
    pages['/t?page=2'] = turtle(simple('lakes', 'Lakes'));
    // It announces three datasets, so the missing one does not count as deleted.
    const short = await run(source, { force: true });
    expect(short).toMatchObject({ state: 'done', updated: 1, unchanged: 1, deleted: 0, failed: 1 });
    expect(short.said).toEqual([expect.stringMatching(/announces 3 datasets, but its pages ended after 2/)]);
    pages['/t'] = turtle(`${RIVERS} <https://far.example/c> hydra:totalItems 2 . </t> hydra:next </t?page=2> .`);
    expect(await run(source)).toMatchObject({ state: 'done', unchanged: 2, deleted: 1, failed: 0 });
    const { body } = await world.graph('{ dataset(id: "lakes") { title harvestedFrom { recordId } } }');
    expect(body.data.dataset).toEqual({ title: 'Lakes', harvestedFrom: { recordId: 'https://far.example/d/lakes' } });
    delete pages['/t?page=2'];
    expect(await run(source)).toMatchObject({ state: 'failed', deleted: 0, message: expect.stringContaining('404') });
  });

  it('in RDF/XML is copied, with entities for namespaces', async () => {
    const xml = (
      n: number,
      next = '',
    ) => `<?xml version="1.0"?><!DOCTYPE rdf:RDF [<!ENTITY dcat "http://www.w3.org/ns/dcat#">]>
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dcat="&dcat;" xmlns:dct="http://purl.org/dc/terms/" xmlns:hydra="http://www.w3.org/ns/hydra/core#">
      <dcat:Dataset rdf:about="https://far.example/x/${n}"><dct:title xml:lang="en">X &amp; ${n}</dct:title>
      <dcat:distribution><dcat:Distribution><dcat:downloadURL rdf:resource="https://far.example/${n}.csv"/></dcat:Distribution></dcat:distribution>
      </dcat:Dataset>${next}</rdf:RDF>`;
    pages = {
      '/x': {
        type: 'application/rdf+xml',
        body: xml(1, '<rdf:Description rdf:about="/x"><hydra:nextPage rdf:resource="/x2"/></rdf:Description>'),
      },
      '/x2': { body: xml(2) },
    };
    expect(await run(await sourceOf('/x'))).toMatchObject({ state: 'done', created: 2, said: [] });
    expect(await show('x-1')).toMatchObject({ title: 'X & 1', resources: [{ url: 'https://far.example/1.csv' }] });
  });

  it('in JSON-LD is copied, also in DCAT-US with its built-in context', async () => {
    const context = {
      dcat: 'http://www.w3.org/ns/dcat#',
      dct: 'http://purl.org/dc/terms/',
      hydra: 'http://www.w3.org/ns/hydra/core#',
    };
    const dataset = (n: number) => ({
      '@id': `https://far.example/j/${n}`,
      '@type': 'dcat:Dataset',
      'dct:title': { '@value': `J ${n}`, '@language': 'en' },
      'dcat:keyword': ['one', 'two'],
    });
    pages = {
      '/j': {
        type: 'application/ld+json',
        body: JSON.stringify({
          '@graph': [dataset(1), { '@id': '/j', 'hydra:next': { '@id': '/j2' } }],
          '@context': context,
        }),
      },
      '/j2': { type: 'application/ld+json', body: JSON.stringify({ '@context': context, ...dataset(2) }) },
      '/data.json': {
        type: 'application/json',
        body: JSON.stringify({
          '@context': 'https://project-open-data.cio.gov/v1.1/schema/catalog.jsonld',
          '@type': 'dcat:Catalog',
          dataset: [
            {
              '@type': 'dcat:Dataset',
              identifier: 'us-one',
              title: 'US one',
              description: 'd',
              keyword: ['a b'],
              publisher: { '@type': 'org:Organization', name: 'Office' },
              contactPoint: { '@type': 'vcard:Contact', fn: 'Bob', hasEmail: 'mailto:bob@us.example' },
              distribution: [
                { '@type': 'dcat:Distribution', downloadURL: 'https://us.example/a.csv', mediaType: 'text/csv' },
              ],
            },
          ],
        }),
      },
    };
    expect(await run(await sourceOf('/j'))).toMatchObject({ state: 'done', created: 2, said: [] });
    expect(await show('j-2')).toMatchObject({ tags: [{ name: 'one' }, { name: 'two' }] });
    expect(await run(await sourceOf('/data.json'))).toMatchObject({ state: 'done', created: 1, said: [] });
    expect(await show('us-one')).toMatchObject({
      title: 'US one',
      organization: { title: 'Office' },
      maintainer_email: 'bob@us.example',
      resources: [{ url: 'https://us.example/a.csv', mimetype: 'text/csv' }],
    });
  });
});

describe('a malicious feed', () => {
  const failsWith = async (page: Page, words: string | RegExp, how = {}) => {
    pages = { '/bad': page };
    const ended = await run(await sourceOf('/bad'), how);
    expect(ended).toMatchObject({ state: 'failed', created: 0 });
    expect(ended.message).toMatch(words);
  };
  const xml = (doctype: string, body = '') => ({
    type: 'application/rdf+xml',
    body: `<?xml version="1.0"?>${doctype}<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">${body}</rdf:RDF>`,
  });

  it('fails for unsafe or expanding XML entities', async () => {
    const words = 'of short plain text';
    const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');
    for (const declared of [
      `[<!ENTITY l0 "lol">${laughs}]`,
      `[<!ENTITY a "${'a'.repeat(5_000)}">]`,
      '[<!ENTITY a SYSTEM "file:///etc/passwd">]',
      'SYSTEM "http://127.0.0.1/x.dtd"',
      '[<!ENTITY % a "x">]',
      '[<!ENTITY a "]><b">]',
      'PUBLIC "><b" "x" []',
      `[${'<!ENTITY a "b">'.repeat(200)}]`,
    ])
      await failsWith(xml(`<!DOCTYPE rdf:RDF ${declared}>`), words);
    await failsWith(xml(`<!-- <a> -->${' '.repeat(100_000)}`), words);
    const inParts = (res: ServerResponse) => {
      res.write('<?xml version="1.0"?><!-- <a>');
      setTimeout(() => res.end(` --><!DOCTYPE a [<!ENTITY b "${'b'.repeat(300)}">]><a>&b;</a>`), 50);
    };
    await failsWith({ type: 'application/rdf+xml', body: inParts }, words);
    await failsWith(xml('<!DOCTYPE rdf:RDF [<!ENTITY a "a">]>', 'a&a;'.repeat(2 ** 21)), 'at most 8 MiB');
    await failsWith(xml('', `<!DOCTYPE a [<!ENTITY b "${'b'.repeat(300)}">]>`), 'cannot be read as RDF/XML');
  });

  it('fails if its pages or redirects have no end', async () => {
    pages = { '/bad': turtle(`${simple('loop')} </bad> hydra:next </bad> .`) };
    expect(await run(await sourceOf('/bad'))).toMatchObject({
      state: 'failed',
      deleted: 0,
      message: expect.stringContaining('loop'),
    });
    let page = 0;
    pages = { '*': () => turtle(`</bad> hydra:next </more?${(page += 1)}> .`) };
    expect(await run(await sourceOf('/bad'))).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('without a dataset'),
    });
    pages = { '*': { status: 302, headers: { location: '/again' } } };
    expect(await run(await sourceOf('/bad'))).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('redirects more than'),
    });
    expect(asked.length).toBeLessThan(100);
  });

  it('fails if it is too large', async () => {
    const endless = (res: ServerResponse) => {
      const chunk = `${'x'.repeat(2 ** 20)}\n`;
      const more = () => {
        while (!res.destroyed && res.write(chunk));
      };
      res.on('drain', more);
      res.write(`${PREFIXES}<https://far.example/d/huge> a dcat:Dataset ; dct:title """`);
      more();
    };
    await failsWith({ type: 'text/turtle', body: endless }, /more than 128 MiB|cannot be read/);
  });

  it('fails if prefixes expand to very long IRIs', async () => {
    const many = Array.from({ length: 1_000 }, (_, n) => `a:${n} dct:title "t" .`).join('\n');
    await failsWith(turtle(`@prefix a: <http://e.example/${'A'.repeat(2 ** 20)}> .\n${many}`), 'IRI of more than');
  });

  it('gets no API key on other hosts that its pages lead to', async () => {
    const keys: (string | undefined)[] = [];
    const elsewhere = await serveElsewhere((req, res) => {
      keys.push(req.headers.authorization);
      res.writeHead(200, { 'content-type': 'text/turtle' }).end(`${PREFIXES}${simple('there')}`);
    });
    try {
      const there = `${elsewhere.base}/next`;
      pages = {
        '/keyed': (req) => {
          keys.push(req.headers.authorization);
          return turtle(`${simple('here')} </keyed> hydra:next <${there}> .`);
        },
      };
      const { id } = await sourceOf('/keyed');
      const sealed = world.app.callAs(world.system).secrets.secretBox.seal('the key');
      await world.database.db.harvestSource.update({ where: { id }, data: { apiKey: sealed } });
      await run(await sourceShow(call(), id));
      expect(keys).toEqual(['the key', undefined]);
    } finally {
      await elsewhere.stop();
    }
  });

  it('is not harvested anonymously if its key cannot be decrypted', async () => {
    pages = { '/sealed': turtle(simple('sealed')) };
    const { id } = await sourceOf('/sealed');
    await world.database.db.harvestSource.update({ where: { id }, data: { apiKey: 'sealed by another secret' } });
    asked.length = 0;
    const ended = await run(await sourceShow(call(), id));
    expect(ended).toMatchObject({ state: 'failed', message: expect.stringMatching('API key.*Enter it again') });
    expect(asked).toEqual([]);
  });

  it('cannot lead to a private network or a file', async () => {
    await failsWith(turtle(simple('private')), 'Private addresses', { mayReachPrivate: false });
    await failsWith({ status: 302, headers: { location: 'file:///etc/passwd' } }, 'not an http or https URL');
    expect(asked).not.toContain('/etc/passwd');
  });

  it('fails with a reason if it is broken, and bad links do not stop its valid datasets', async () => {
    await failsWith(turtle('<unfinished'), 'cannot be read as Turtle');
    await failsWith({ type: 'application/ld+json', body: '{"@graph": [' }, 'cannot be read as JSON-LD');
    await failsWith(
      { type: 'application/ld+json', body: '{"@context": "http://evil.example/c", "a": "b"}' },
      'Unknown JSON-LD context',
    );
    await failsWith({ type: 'text/html', body: '<!doctype html><p>Sorry' }, 'is not RDF');
    await failsWith({ type: 'text/turtle', status: 403, body: 'no' }, '403');
    pages = {
      '/odd': {
        type: 'application/rdf+xml',
        body: `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dcat="http://www.w3.org/ns/dcat#" xmlns:dct="http://purl.org/dc/terms/">
          <dcat:Dataset rdf:about="https://far.example/odd one"><dct:title>Odd one</dct:title><dcat:landingPage rdf:resource="javascript:alert(1)"/>
          <dcat:distribution><dcat:Distribution><dcat:accessURL rdf:resource="http://a b.example/|^"/></dcat:Distribution></dcat:distribution>
          <dcat:distribution><dcat:Distribution rdf:about="https://far.example/odd.csv"/></dcat:distribution></dcat:Dataset>
          <dcat:Dataset><dct:title>Nameless</dct:title></dcat:Dataset>
          <dcat:Dataset rdf:about="https://far.example/untitled"/></rdf:RDF>`,
      },
    };
    const ended = await run(await sourceOf('/odd'));
    expect(ended).toMatchObject({
      state: 'done',
      said: expect.arrayContaining([expect.stringContaining('neither an IRI nor an identifier')]),
    });
    expect(await show('odd-one')).toMatchObject({ url: null, resources: expect.anything() });
    expect((await show('untitled')).title).toBe('untitled');
  });
});
