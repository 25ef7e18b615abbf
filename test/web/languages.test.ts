/** Languages of pages: prefixes of addresses, `Accept-Language`, the language of the site, and the header `Vary`. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld({ 'catalog.site_title': 'Town' });
  await world.make.dataset({ name: 'river', title: 'River levels' });
});
afterAll(() => world.end());

const get = (path: string, headers: Record<string, string> = {}, at = world) =>
  at.request(path, { redirect: 'manual', headers: { accept: 'text/html', ...headers } });
const languageOf = (text: string) => /<html lang="([^"]*)"/.exec(text)?.[1];
const headingOf = (text: string) => /<h1>(.*?)<\/h1>/.exec(text)?.[1];

describe('the language of a page', () => {
  it.each([
    ['/en/about', 'en', 'About Town'],
    ['/de/about', 'de', 'Über Town'],
    ['/fr/about', 'fr', 'À propos de Town'],
    ['/ja/about', 'ja', 'Town について'],
  ])('%s is that of its prefix', async (path, language, heading) => {
    for (const accept of ['fr', 'en', '']) {
      const { status, text, headers } = await get(path, accept ? { 'accept-language': accept } : {});
      expect([status, languageOf(text), headingOf(text)]).toEqual([200, language, heading]);
      expect(headers.get('content-language')).toBe(language);
      expect(headers.get('vary')).not.toMatch(/Accept-Language/);
    }
  });

  it.each([
    ['de', 'de'],
    ['de-AT,de;q=0.9,en;q=0.5', 'de'],
    ['pt-BR, fr;q=0.3', 'fr'],
    ['ja;q=0.5, fr;q=0.8', 'fr'],
    ['zh', 'en'],
    ['*', 'en'],
    ['', 'en'],
    ['de;q=0, *', 'en'],
    ['<script>', 'en'],
    [`${'xx,'.repeat(330)}de`, 'de'],
    [`${'xx,'.repeat(340)}de`, 'en'],
    ['de;q=nonsense', 'en'],
  ])('without a prefix, for Accept-Language %s, is %s', async (accept, language) => {
    const { text, headers } = await get('/about', { 'accept-language': accept });
    expect(languageOf(text)).toBe(language);
    expect(headers.get('vary')).toMatch(/Accept-Language/);
  });

  it('is part of its ETag, so that no reader gets the page in another language', async () => {
    const german = (await get('/about', { 'accept-language': 'de' })).headers.get('etag')!;
    const { status } = await get('/about', { 'accept-language': 'ja', 'if-none-match': german });
    expect(status).toBe(200);
  });
});

describe('prefixes', () => {
  it.each([
    ['/pt_BR/dataset?q=a', '/dataset?q=a'],
    ['/zh_CN', '/'],
    ['/en_GB/dataset/river', '/en/dataset/river'],
    ['/en-US/dataset/river?a=b', '/en/dataset/river?a=b'],
    ['/de-AT', '/de/'],
    ['/fr_CA/user/login', '/fr/user/login'],
    ['/es-419/dataset', '/dataset'],
    ['/zh-Hant/about', '/about'],
    ['/de/package/river', '/de/dataset/river'],
    ['/de/dataset/', '/de/dataset'],
  ])('%s leads to %s', async (path, location) => {
    const { status, headers } = await get(path);
    expect([[301, 302].includes(status), headers.get('location')]).toEqual([true, location]);
  });

  it.each([
    '/de//town.example',
    '/de/\\town.example',
    '/xx/dataset',
    '/xx-XX/dataset',
    '/en-/dataset',
    '/en-USA1/dataset',
    '/en-US//town.example',
    '/en-US/\\town.example',
    '/DE/dataset',
    '/pt_BR//town.example',
    '/de/de/about',
  ])('%s returns 404', async (path) => {
    const { status, headers } = await get(path);
    expect([status, headers.get('location')]).toEqual([404, null]);
  });

  it('are in the links and forms of a page, but not in links to the API and files', async () => {
    const { text } = await get('/de/dataset/river');
    const links = [...text.matchAll(/<(?:a|form)\b[^>]*? (?:href|action)="(\/[^"]*)"/g)].map(([, href]) => href!);
    const own = links.filter((href) => !/^\/(en|fr|ja)\//.test(href));
    const plain = own.filter((href) => !href.startsWith('/de'));
    expect(own.length).toBeGreaterThan(10);
    expect(plain.filter((href) => !/^\/(graphql|api|feeds|catalog)|\.\w+$/.test(href))).toEqual([]);
    expect(text).toContain('href="/graphql"');
  });

  it('are accepted in addresses of the API', async () => {
    expect((await world.request('/de/api/3/action/site_read')).status).toBe(200);
  });

  it('do not affect the formats of linked data', async () => {
    const { status, headers } = await world.request('/de/dataset/river', { headers: { accept: 'text/turtle' } });
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/turtle/)]);
  });
});

describe('pages without data', () => {
  it.each([
    ['/ja/nothing', 404, '見つかりません'],
    ['/ja/dataset/nothing', 404, '見つかりません'],
    ['/ja/dataset/%ff', 400, 'アドレスを解釈できません'],
    ['/fr/user/reset/1?key=2', 404, 'Introuvable'],
  ])('%s answers %i in the language of its prefix', async (path, status, heading) => {
    const answer = await get(path);
    expect([answer.status, languageOf(answer.text), headingOf(answer.text)]).toEqual([
      status,
      path.slice(1, 3),
      heading,
    ]);
    expect(answer.headers.get('cache-control')).toMatch(/no-store/);
  });
});

describe('other languages of a page', () => {
  it('are links in its header, and alternate links in its head', async () => {
    const { text } = await get('/de/dataset/river?a=%22%3E%3Cb%3E');
    const chooser = [...text.matchAll(/<a lang="\w+" hreflang="(\w+)"(?: aria-current="(\w+)")? href="([^"]*)"/g)];
    const path = '/dataset/river?a=%22%3E%3Cb%3E';
    expect(chooser.map(([, ...all]) => all)).toEqual([
      ['en', undefined, `/en${path}`],
      ['de', 'true', `/de${path}`],
      ['fr', undefined, `/fr${path}`],
      ['ja', undefined, `/ja${path}`],
    ]);
    const alternates = [...text.matchAll(/<link rel="alternate" hreflang="([^"]+)" href="([^"]+)"/g)];
    const base = /<link rel="canonical" href="([^"]*)\/de\/dataset\/river"/.exec(text)![1]!;
    expect(Object.fromEntries(alternates.map(([, language, href]) => [language, href]))).toEqual({
      'x-default': `${base}/dataset/river`,
      ...Object.fromEntries(['en', 'de', 'fr', 'ja'].map((it) => [it, `${base}/${it}/dataset/river`])),
    });
  });

  it('are reachable from a page without a prefix, which is its own canonical page', async () => {
    const { text } = await get('/dataset/river', { 'accept-language': 'ja' });
    expect(text).toMatch(/<link rel="canonical" href="http:\/\/[^"/]*\/dataset\/river"/);
    for (const [, href] of text.matchAll(/<a lang="\w+" hreflang="\w+"[^>]*? href="([^"]*)"/g))
      expect((await get(href!)).status).toBe(200);
  });
});

describe('settings', () => {
  it('restrict the offered languages, and choose the default', async () => {
    const other = await createWorld({ 'catalog.locale_default': 'fr_CA', 'catalog.locales_offered': ['fr', 'de'] });
    try {
      expect(languageOf((await get('/about', {}, other)).text)).toBe('fr');
      expect(languageOf((await get('/about', { 'accept-language': 'ja' }, other)).text)).toBe('fr');
      expect(languageOf((await get('/about', { 'accept-language': 'de' }, other)).text)).toBe('de');
      expect((await get('/ja/about', {}, other)).headers.get('location')).toBe('/about');
    } finally {
      await other.end();
    }
  });

  it('offer one language, without a chooser', async () => {
    const other = await createWorld({ 'catalog.locale_default': 'pt_BR', 'catalog.locales_offered': ['ja'] });
    try {
      const { text, headers } = await get('/about', { 'accept-language': 'de' }, other);
      expect([languageOf(text), text.includes('hreflang')]).toEqual(['ja', false]);
      expect(headers.get('vary')).not.toMatch(/Accept-Language/);
    } finally {
      await other.end();
    }
  });
});

describe('data', () => {
  let other: World;
  beforeAll(async () => {
    other = await createWorld();
    const as = await other.make.sysadmin();
    await other.result('organization_create', { name: 'town', title: 'Town', description: 'A town' }, { as });
    const title = JSON.stringify({ de: 'Pegel <b>', ja: '水位' });
    await other.result(
      'package_create',
      {
        name: 'levels',
        title: 'Levels',
        notes: 'All **rivers**',
        owner_org: 'town',
        extras: [{ key: 'title_translated', value: title }],
        tags: [{ name: 'water' }],
        resources: [{ url: 'http://town.example/a.csv', name: 'Table' }],
      },
      { as },
    );
    const data = [{ term: 'water', term_translation: 'Wasser', lang_code: 'de' }];
    await other.result('term_translation_update_many', { data }, { as });
  });
  afterAll(() => other.end());

  it('is in the language of the page if there is a translation', async () => {
    const { text } = await get('/de/dataset/levels', {}, other);
    expect(text).toContain('<h1>Pegel &lt;b></h1>');
    expect(text).toMatch(/<a href="\/de\/dataset\?tags=water">Wasser<\/a>/);
    expect(text).toContain('"name":"Pegel \\u003cb>"');
  });

  it('is marked with its language otherwise', async () => {
    const { text } = await get('/de/dataset/levels', {}, other);
    expect(text).toContain('<div class="text" lang="en"><p>All <strong>rivers</strong></p></div>');
    expect(text).toMatch(/<a href="[^"]*" lang="en">Table<\/a>/);
    expect(text).toMatch(/<a href="\/de\/organization\/town" lang="en">Town<\/a>/);
  });

  it('has no language mark on a page in its language', async () => {
    const { text } = await get('/en/dataset/levels', {}, other);
    expect(text).toContain('<h1>Levels</h1>');
    expect(text.replace(/<a [^>]*hreflang=[^>]*>/g, '').match(/ lang="/g)).toEqual([' lang="']);
  });

  it('is translated in lists, facets and on the pages of organizations', async () => {
    for (const path of ['/ja/dataset', '/ja/dataset?q=levels', '/ja/organization/town', '/ja'])
      expect((await get(path, {}, other)).text).toMatch(/<a href="\/ja\/dataset\/levels">水位<\/a>/);
    expect((await get('/de/dataset', {}, other)).text).toMatch(/<span>Wasser<\/span>/);
    expect((await get('/de/tag', {}, other)).text).toMatch(/>Wasser<\/a>/);
    expect((await get('/de/organization/town', {}, other)).text).toContain('<h1 lang="en">Town</h1>');
  });
});

describe('messages of the graph', () => {
  /** The page that answers a submitted form. */
  async function send(path: string, fields: Record<string, string>): Promise<string> {
    const form = await get(path);
    const cookie = form.headers.get('set-cookie')!.split(';')[0]!;
    const [, field, token] = /<input type="hidden" name="([^"]+)" value="([^"]+)"/.exec(form.text)!;
    const answer = await world.request(path, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, origin: world.base, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ [field!]: token!, ...fields }).toString(),
    });
    expect(answer.status).toBe(422);
    return answer.text;
  }

  it('are marked as English beside fields and above forms, except on English pages', async () => {
    const fields = { name: 'No Name!', email: 'x', password: 'correct horse', repeated: 'correct horse' };
    const german = await send('/de/user/register', fields);
    const said = [...german.matchAll(/class="fault" id="field-(\w+)-fault"><span lang="en">\w[^<]+<\/span>/g)];
    expect(said.map(([, name]) => name)).toEqual(['name', 'email']);
    expect((await get('/de/dataset?q=title:(')).text).toMatch(/role="alert"><span lang="en">\w/);
    const english = await send('/en/user/register', fields);
    expect(english).toMatch(/class="fault" id="field-name-fault">\w/);
    expect(english).not.toContain('lang="en">No');
  });

  it('are not mixed with those of the form itself', async () => {
    const text = await send('/de/user/register', { name: 'eva', email: 'a@b.example', password: 'a', repeated: 'b' });
    expect(text).toMatch(/class="fault" id="field-repeated-fault">Die /);
  });
});

describe('numbers, days and plurals', () => {
  it.each([
    ['en', '0 resources', /Updated <time dateTime="[^"]*">[A-Z][a-z]{2} \d+, \d{4}</i],
    ['de', '0 Ressourcen', /Aktualisiert am <time dateTime="[^"]*">\d+\. [A-Z][a-zä]+\.? \d{4}</i],
    ['fr', '0 ressource', /Mis à jour le <time dateTime="[^"]*">\d+ [a-zéû]+\.? \d{4}</i],
    ['ja', '0 件のリソース', /更新日 <time dateTime="[^"]*">\d{4}年\d+月\d+日</i],
  ])('are written as in %s', async (language, resources, day) => {
    const { text } = await get(`/${language}/dataset`);
    expect(text).toMatch(day);
    expect(text).toContain(`</svg> ${resources}</span>`);
  });
});
