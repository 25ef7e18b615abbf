/** A theme folder changes the style, logo, messages and texts of pages, without a restart; faulty files change nothing. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { themeReader } from '../../facades/web/site/theme.ts';
import { SLOTS } from '../../facades/web/site/theme-files.ts';
import { messageFault } from '../../facades/web/site/theme-messages.ts';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { projectRoot } from '../../src/kernel/root.ts';
import { openPage } from '../helpers/browser.ts';
import { IMAGES } from '../helpers/images.ts';
import { freePort } from '../helpers/port.ts';
import { describeWith } from '../helpers/runtime.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="green"/></svg>';
const chromium: string | null = ensureChromium();
const home = mkdtempSync(join(tmpdir(), 'catalog-theme-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Writes files of a theme; null removes one. */
function write(folder: string, files: Record<string, string | Uint8Array | null>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    if (content === null) rmSync(join(folder, name));
    else writeFileSync(join(folder, name), content);
  }
}

describe('the reader', () => {
  let folder: string;
  let logged: any[];
  let time: number;
  const reader = (at: string | null = folder) => {
    const log = pino({ level: 'error' }, { write: (line: string) => logged.push(JSON.parse(line)) });
    const read = themeReader(at, log, { now: () => time });
    return () => {
      time += 2_000;
      return read();
    };
  };
  const reasons = () => logged.map(({ file, reason }) => [file, reason]);
  beforeEach(() => {
    folder = mkdtempSync(join(home, 'reader-'));
    logged = [];
    time = 0;
  });

  it('reads all kinds of files, and reads changed ones again', () => {
    const read = reader();
    expect(read()).toEqual({ css: null, logo: null, messages: {}, texts: {}, templates: {} });
    write(folder, {
      'theme.css': ':root { --head: #040 }',
      'logo.svg': SVG,
      'footer.md': '**Town**',
      'home.de.md': 'Ja',
    });
    write(folder, { 'texts/de.json': '{ "layout.datasets": "Daten" }' });
    const first = read();
    expect(first.css).toMatchObject({ type: 'text/css;charset=utf-8' });
    expect(first.logo).toMatchObject({ type: 'image/svg+xml', address: expect.stringMatching(/\/[0-9a-f]{8}\.svg$/) });
    expect(first.texts).toEqual({ footer: '<p><strong>Town</strong></p>', 'home.de': '<p>Ja</p>' });
    expect({ ...first.messages.de }).toEqual({ 'layout.datasets': 'Daten' });
    expect(read()).toBe(first);
    write(folder, { 'footer.md': 'Changed', 'logo.svg': null, 'logo.png': IMAGES.png, 'theme.css': null });
    const second = read();
    expect([second.css, second.logo?.type, second.texts.footer]).toEqual([null, 'image/png', '<p>Changed</p>']);
    expect(second.messages.de).toBe(first.messages.de);
    expect(logged).toEqual([]);
  });

  it('looks at the files at most once a second', () => {
    const read = themeReader(folder, pino({ level: 'silent' }), { now: () => time });
    expect(read().texts).toEqual({});
    write(folder, { 'home.md': 'Later' });
    time = 900;
    expect(read().texts).toEqual({});
    time = 1_000;
    expect(read().texts).toEqual({ home: '<p>Later</p>' });
  });

  it('logs a faulty file once, and ignores only that file', () => {
    write(folder, {
      'theme.css': 'x'.repeat(256 * 1024 + 1),
      'logo.svg': 'text',
      'logo.png': SVG,
      'texts/de.json': '{',
      'texts/en.json': '[]',
      'footer.md': Buffer.from([0x66, 0xff, 0x66]),
      'home.md/file': 'in a folder of that name',
      'header.md': 'Fine',
    });
    const read = reader();
    expect(read()).toEqual({
      ...{ css: null, logo: null, messages: {}, templates: {} },
      texts: { header: '<p>Fine</p>' },
    });
    expect(reasons()).toEqual([
      ['theme.css', 'must have at most 262144 bytes (got 262145)'],
      ['logo.svg', 'is not a file of the type image/svg+xml'],
      ['logo.png', 'is not a file of the type image/png'],
      [
        'texts/en.json',
        'must be a JSON object with texts by the keys of messages, such as {"layout.datasets": "Our data"}',
      ],
      ['texts/de.json', expect.stringContaining('JSON')],
      ['home.md', 'is not a file'],
      ['footer.md', expect.stringContaining('not valid')],
    ]);
    read();
    expect(logged).toHaveLength(7);
  });

  it('does not leave the folder', () => {
    const secret = join(home, 'secret.md');
    writeFileSync(secret, 'Hidden words');
    symlinkSync(secret, join(folder, 'footer.md'));
    symlinkSync(home, join(folder, 'texts'));
    write(home, { 'de.json': '{ "layout.datasets": "Hidden" }' });
    expect(reader()()).toMatchObject({ messages: {}, texts: {} });
    expect(reasons()).toEqual([
      ['texts/de.json', 'is outside of the folder of the theme'],
      ['footer.md', 'is outside of the folder of the theme'],
    ]);
  });

  it('logs a missing folder, and uses it as soon as it exists', () => {
    const read = reader(join(folder, 'later'));
    expect([read(), read()].map(({ css }) => css)).toEqual([null, null]);
    expect(logged).toMatchObject([{ msg: 'theme ignored: no such folder (catalog.theme)' }]);
    write(join(folder, 'later'), { 'theme.css': 'p {}' });
    expect(read().css).not.toBeNull();
    expect(reader(null)()).toMatchObject({ css: null, texts: {} });
  });

  it.each([
    ['layout.datasets', 'Data', null],
    ['about.heading', 'On {site}', null],
    ['about.heading', 'On it', null],
    ['count.dataset', '{count, plural, one {one} other {many}}', null],
    ['count.dataset', '{count}', null],
    ['layout.nothing', 'x', /no message/],
    ['__proto__', 'x', /no message/],
    ['layout.datasets', 7, /must be a text/],
    ['layout.datasets', '{', /ICU/],
    ['layout.datasets', 'All {count}', /uses \{count\}; the message has no values/],
    ['layout.datasets', '<b>Data</b>', /uses <b>/],
    ['about.heading', '{site, date}', /date or time/],
    ['about.heading', '{site, number}', null],
    ['about.heading', '{site, number, currency}', /number with a style/],
    ['about.heading', '{site, number, ::unit/none}', /number with a style/],
    ['about.heading', '{site, plural, other {{other}}}', /uses \{other\}/],
  ])('accepts for %s the message %j, or refuses it with a reason', (key, text, fault) => {
    const said = messageFault('en', key, text);
    if (fault === null) expect(said).toBeNull();
    else expect(said).toMatch(fault);
  });

  it('refuses a message that is too long', () => {
    expect(messageFault('en', 'layout.datasets', 'x'.repeat(5_001))).toMatch(/at most 5000/);
  });
});

describe('pages', () => {
  const folder = join(home, 'theme');
  let world: World;
  beforeAll(async () => {
    const port = await freePort();
    write(home, { 'outside.png': IMAGES.png });
    write(folder, {
      'theme.css': ':root { --head: rgb(0 68 0); }',
      'logo.svg': SVG,
      'texts/en.json': '{ "layout.datasets": "All our data", "layout.tags": "{broken", "home.title": "{count}" }',
      'texts/de.json': '{ "layout.datasets": "Unsere Daten" }',
      'header.md': 'Moved from the old portal. <script>alert(1)</script>',
      'home.md': '## Welcome\n\n[Read on](/about) ![river](/static/site/theme/files/river.png)',
      'footer.md': 'Town of Kew',
      'footer.de.md': 'Stadt Kew',
      'files/river.png': IMAGES.png,
      'files/text.html': 'x',
    });
    symlinkSync(join(home, 'outside.png'), join(folder, 'files/outside.png'));
    const at = { 'catalog.port': port, 'catalog.site_url': `http://127.0.0.1:${port}` };
    world = await createWorld({ 'catalog.theme': folder, ...at });
  });
  afterAll(() => world?.end());
  const get = (path: string) => world.request(path, { headers: { accept: 'text/html' } });

  it('show the style, logo, messages and texts of the theme, in their language', async () => {
    const { text } = await get('/');
    const css = /href="(\/static\/site\/theme\/[0-9a-f]{8}\.css)"/.exec(text)![1]!;
    const logo = /src="(\/static\/site\/theme\/[0-9a-f]{8}\.svg)"/.exec(text)![1]!;
    const sheet = await get(css);
    expect([sheet.text, sheet.headers.get('content-type')]).toEqual([
      ':root { --head: rgb(0 68 0); }',
      'text/css;charset=utf-8',
    ]);
    const picture = await get(logo);
    expect([picture.status, picture.text]).toEqual([200, SVG]);
    expect(picture.headers.get('content-security-policy')).toMatch(/sandbox/);
    expect(text).toContain('>All our data</a>');
    expect(text).toContain('>Tags</a>'); // the faulty message is ignored
    expect(text).toContain('Moved from the old portal. &lt;script&gt;');
    expect(text).toContain('<h2>Welcome</h2>');
    expect(text).toContain('<a rel="nofollow ugc" href="/about">Read on</a>');
    expect(text).toContain('Town of Kew');
    const german = (await get('/de/about')).text;
    expect(german).toContain('>Unsere Daten</a>');
    expect(german).toContain('Stadt Kew');
    expect(german).not.toContain('Town of Kew');
    expect(german).not.toContain('<h2>Welcome</h2>');
    expect((await get('/%')).text).toContain('Town of Kew');
  });

  it.each([
    ['river.png', 200],
    ['outside.png', 404],
    ['text.html', 404],
    ['none.png', 404],
    ['..%2ftheme.css', 404],
    ['..%2F..%2foutside.png', 404],
    ['%00.png', 404],
    ['.png', 404],
  ])('get the file %s with %i', async (name, status) => {
    expect((await get(`/static/site/theme/files/${name}`)).status).toBe(status);
  });

  it('change when the files change', async () => {
    write(folder, { 'footer.md': 'Town of Richmond', 'texts/en.json': 'broken' });
    const text = await until(async () => {
      const page = await get('/about');
      return page.text.includes('Town of Richmond') ? page.text : null;
    });
    expect(text).toContain('>Datasets</a>');
    expect((await get('/nothing')).text).toContain('Town of Richmond');
  });

  it('have the logo of the settings, if there is one', async () => {
    const as = await world.make.sysadmin();
    await world.result('config_option_update', { 'catalog.site_logo': '/favicon.ico' }, { as });
    expect((await get('/about')).text).toContain('<img src="/favicon.ico"');
  });

  describeWith('chromium', chromium !== null, 'in a browser', () => {
    it('are drawn with the theme, without blocked content', async () => {
      const page = await openPage(chromium!, `${world.base}/`);
      const folderOfPictures = join(projectRoot, '.cache/pictures');
      mkdirSync(folderOfPictures, { recursive: true });
      for (const [width, colorScheme] of [
        [390, 'light'],
        [1440, 'light'],
        [1440, 'dark'],
      ] as const) {
        await page.tab.setViewportSize({ width, height: 900 });
        await page.tab.emulateMedia({ colorScheme });
        writeFileSync(join(folderOfPictures, `theme-${width}-${colorScheme}.png`), await page.tab.screenshot());
      }
      const head = await page.evaluate(`getComputedStyle(document.querySelector('header')).backgroundColor`);
      await page.close();
      expect([head, page.problems]).toEqual(['rgb(0, 68, 0)', []]);
    });
  });

  it('have a slot for each text', async () => {
    for (const slot of SLOTS) expect((await get('/')).text).toContain(`class="own ${slot}"`);
  });
});
