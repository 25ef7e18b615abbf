import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Frame } from '../../../facades/web/site/frame.ts';
import {
  createPageCache,
  type Fragment,
  FragmentSlot,
  keyOfPage,
  renderedPage,
} from '../../../facades/web/site/rendered.ts';
import { textsOf } from '../../../facades/web/site/texts.ts';
import { JsonText } from '../../../src/kernel/json.ts';

const templates = {};
const ownTexts = {};
const frame: Frame = {
  texts: textsOf('en'),
  languages: { offered: ['en', 'de'], content: 'en', prefix: '', path: '/dataset/levels' },
  siteTitle: 'Town',
  viewer: null,
  addsDatasets: false,
  siteUrl: 'https://data.example',
  token: () => '',
  registration: true,
  logo: '',
  images: [],
  ownTexts,
  templates,
  styles: ['/site.css'],
};

describe('the key of a page', () => {
  const results = [{ dataset: { name: 'levels', views: 1 } }, { nodes: [new JsonText('{"n":1}')] }];
  const key = keyOfPage('dataset', frame, results);

  it('is the same for an equal page', () => {
    const same = [{ dataset: { name: 'levels', views: 1 } }, { nodes: [new JsonText('{"n":1}')] }];
    expect(keyOfPage('dataset', { ...frame, token: () => 'other' }, same)).toBe(key);
  });

  it.each<[string, string, Partial<Frame>, unknown[]]>([
    ['kind', 'embed', {}, results],
    ['URL', 'dataset', { languages: { ...frame.languages, path: '/dataset/levels?page=2' } }, results],
    ['prefix of the language', 'dataset', { languages: { ...frame.languages, prefix: '/de' } }, results],
    ['language', 'dataset', { texts: textsOf('de') }, results],
    ['language of the data', 'dataset', { texts: textsOf('en', 'de') }, results],
    ['messages of the theme', 'dataset', { texts: textsOf('en', 'en', { 'common.apply': 'Go' }) }, results],
    ['templates of the theme', 'dataset', { templates: {} }, results],
    ['texts of the theme', 'dataset', { ownTexts: {} }, results],
    ['title of the site', 'dataset', { siteTitle: 'City' }, results],
    ['logo', 'dataset', { logo: '/logo.png' }, results],
    ['styles', 'dataset', { styles: ['/site.css', '/own.css'] }, results],
    ['images', 'dataset', { images: ['https://images.example'] }, results],
    ['viewer', 'dataset', { viewer: { name: 'ann', displayName: 'Ann', sysadmin: false } }, results],
    ['permission to add', 'dataset', { addsDatasets: true }, results],
    ['registration', 'dataset', { registration: false }, results],
    ['a number of a result', 'dataset', {}, [{ dataset: { name: 'levels', views: 2 } }, results[1]]],
    ['a record', 'dataset', {}, [results[0], { nodes: [new JsonText('{"n":2}')] }]],
    ['a missing result', 'dataset', {}, [results[0]]],
  ])('changes with the %s', (_what, kind, changed, found) => {
    expect(keyOfPage(kind, { ...frame, ...changed }, found)).not.toBe(key);
  });
});

it.each<[string, Frame['templates'], boolean]>([
  ['without templates', {}, true],
  ['with a template, which can show the time', { footer: {} as Frame['templates'][string] }, false],
])('a page %s: same key in the next minute: %j', (_what, own, isSame) => {
  const keys = [0, 59_999, 60_000].map((now) => keyOfPage('dataset', { ...frame, templates: own }, [], now));
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2] === keys[0]).toBe(isSame);
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('the cache of pages', () => {
  const text = (page: { readonly body: Buffer }) => page.body.toString();
  const always = () => true;
  const part = (html: string): Fragment => ({ data: html, html: () => html });
  const none = part('');

  it('renders a page once', () => {
    const cache = createPageCache();
    const first = cache.page('a', none, () => 'one', always);
    expect(cache.page('a', none, () => 'two', always)).toBe(first);
    expect(text(cache.page('b', none, () => 'two', always))).toBe('two');
  });

  it('stores no page that became personal while it was rendered', () => {
    const cache = createPageCache();
    let isPublic = true;
    const personal = () => {
      isPublic = false; // as a form's token does
      return 'own';
    };
    expect(text(cache.page('a', none, personal, () => isPublic))).toBe('own');
    expect(text(cache.page('a', none, () => 'for everyone', always))).toBe('for everyone');
  });

  it('stores no page after a failure to render it', () => {
    const cache = createPageCache();
    const fails = () => {
      throw new Error('no page');
    };
    expect(() => cache.page('a', none, fails, always)).toThrow('no page');
    expect(text(cache.page('a', none, () => 'one', always))).toBe('one');
  });

  it('stores no page of more than 512 KiB', () => {
    const cache = createPageCache();
    const large = () => 'x'.repeat(512 * 1024 + 1);
    expect(cache.page('a', none, large, always)).not.toBe(cache.page('a', none, large, always));
    const most = () => 'x'.repeat(512 * 1024);
    expect(cache.page('b', none, most, always)).toBe(cache.page('b', none, most, always));
  });

  it('evicts the least recently used pages', () => {
    const cache = createPageCache(2_000);
    const page = (key: string) => cache.page(key, none, () => key.repeat(900), always);
    const first = page('a');
    page('b');
    expect(page('a')).toBe(first);
    page('c');
    expect(page('a')).toBe(first);
    expect(page('b').body.equals(Buffer.alloc(900, 'b'))).toBe(true);
    expect(page('c')).not.toBe(page('a'));
    expect(page('a')).not.toBe(first);
  });

  const slot = renderToString(h(FragmentSlot, {}));

  it('puts the fragment into each slot, also in a page cached with another fragment', () => {
    const cache = createPageCache();
    let rendered = 0;
    const page = (fragment: string) =>
      cache.page('a', part(fragment), () => `<p>${(rendered += 1)} é ${slot} & ${slot}</p>${slot}`, always);
    const expected = (fragment: string) => `<p>1 é ${fragment} & ${fragment}</p>${fragment}`;
    const first = page('<b>1 view</b>');
    for (const fragment of ['<b>1 view</b>', '<b>12 vues, été</b>', '', '$&', '<b>1 view</b>'])
      expect(text(page(fragment))).toBe(expected(fragment));
    expect(text(first)).toBe(expected('<b>1 view</b>'));
    expect(page('<b>1 view</b>').etag).toBe(first.etag);
    expect(page('<b>2 views</b>').etag).not.toBe(first.etag);
    expect(rendered).toBe(1);
  });

  it('renders a fragment again only for other data', () => {
    const cache = createPageCache();
    const made: string[] = [];
    const page = (data: string) =>
      cache.page('a', { data, html: () => `${made.push(data)} made` }, () => `<p>${slot}</p>`, always);
    expect(['1', '1', '2', '2', '1'].map((views) => text(page(views)))).toEqual(
      ['1', '1', '2', '2', '3'].map((count) => `<p>${count} made</p>`),
    );
    expect(made).toEqual(['1', '2', '1']);
  });

  it('keeps no reference to the request that a page was rendered for', async () => {
    const cache = createPageCache();
    const make = (key: string) => {
      const request = { of: key };
      const fragment = { data: key, html: () => request.of };
      cache.page(key, fragment, () => `${slot}${request.of}`, always);
      return new WeakRef(request);
    };
    const requests = ['a', 'b', 'c'].map(make);
    await new Promise(setImmediate); // a WeakRef holds its object until the end of the turn
    collectGarbage();
    expect(requests.map((it) => it.deref())).toEqual([undefined, undefined, undefined]);
    expect(text(cache.page('a', part('a'), () => 'rendered again', always))).toBe('aa');
  });

  it('treats text that looks like a slot as text', () => {
    const cache = createPageCache();
    const forged = slot.replace(/[0-9a-f]{4}/, 'ffff');
    expect(text(cache.page('a', part('x'), () => forged, always))).toBe(forged);
  });

  it('counts compressed bodies in the size of the cache', async () => {
    const cache = createPageCache(3_960);
    const page = cache.page('a', none, () => 'word '.repeat(600), always);
    const other = cache.page('b', none, () => 'b'.repeat(950), always);
    expect((await page.packed('br')).encoding).toBe('br');
    await page.packed('gzip');
    expect(cache.page('b', none, () => 'c'.repeat(950), always)).not.toBe(other);
  });
});

it('compresses a page once for each encoding, also for concurrent requests', async () => {
  const weights: number[] = [];
  const page = renderedPage(Buffer.from('word '.repeat(1_000)), (bytes) => weights.push(bytes));
  const [br, again, zipped, plain] = await Promise.all(['br', 'br, gzip;q=0.5', 'gzip', undefined].map(page.packed));
  expect([br!.encoding, again!.encoding, zipped!.encoding, plain!.encoding]).toEqual(['br', 'br', 'gzip', null]);
  expect(again!.bytes).toBe(br!.bytes);
  expect(plain!.bytes).toBe(page.body);
  expect(weights).toHaveLength(2);
  expect(Math.max(...weights)).toBe(5_000 + br!.bytes.length + zipped!.bytes.length);
});
