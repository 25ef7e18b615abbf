/** Templates of a theme: the example of the how-to page in a browser, and faults, which never reach a page. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { themeReader } from '../../facades/web/site/theme.ts';
import { htmlFault, styleFault } from '../../facades/web/site/theme-html.ts';
import { packFileIn, type Stored } from '../../facades/web/site/theme-router.ts';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
// @ts-expect-error: a script without types
import { writeThemeExample } from '../../scripts/theme-example.mjs';
import { projectRoot } from '../../src/kernel/root.ts';
import { openPage } from '../helpers/browser.ts';
import { blocksOf } from '../helpers/page-blocks.ts';
import { freePort } from '../helpers/port.ts';
import { describeWith } from '../helpers/runtime.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

const chromium: string | null = ensureChromium();
const home = mkdtempSync(join(tmpdir(), 'catalog-templates-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function write(folder: string, files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

const NO_FILES = { hasFile: (name: string) => name === 'river.svg', images: ['https://pictures.example'] };

describe('HTML of a template', () => {
  it.each([
    '<p>Text <b>bold</b><br><img src="/static/site/theme/files/river.svg" alt=""></p>',
    '<svg viewBox="0 0 1 1"><path d="M0 0"/><g><use href="#a"/></g></svg>',
    '<a href="https://other.example/">Other</a><a href="mailto:a@b.example">Mail</a><a href="#main">Here</a>',
    '<img src="https://pictures.example/a.png" alt=""><img src="data:image/png;base64,AA" alt="">',
    '<!-- a comment --><input type="search" name="q" required>',
    '<p>3 < 4 &amp; 5 > 4</p>\u0000search\u0000',
    '',
  ])('may be %j', (html) => {
    expect(htmlFault(html, NO_FILES)).toBeNull();
  });

  it.each([
    ['<div><p>a</p>', '<div> is not closed'],
    ['<div><p>a</div>', '<p> is not closed before </div>'],
    ['a</div>', '</div> closes no element'],
    ['</main><main>', '</main> closes no element'],
    ['<div/>', '<div> is not closed'],
    ['<p', /is not closed/],
    ['<p class="a', /is not closed/],
    ['<p>a</p', /is not closed/],
    ['<!-- a', /comment .* is not closed/],
    ['<textarea>', '<textarea> is not closed'],
    ['<plaintext>', /belongs to the page/],
    ['<main></main>', '<main> belongs to the page, not to a part of it'],
    ['<script>alert(1)</script>', '<script> is blocked by the Content-Security-Policy of pages'],
    ['<SCRIPT src="https://stats.example/a.js"></SCRIPT>', /^<script> is blocked/],
    ['<style>p {}</style>', /^<style> is blocked/],
    ['<iframe src="/x"></iframe>', /^<iframe> is blocked/],
    ['<p style="color: red">a</p>', '<p style="color: red"> is blocked by the Content-Security-Policy of pages'],
    ['<p OnClick="x()">a</p>', /^<p onclick="x\(\)"> is blocked/],
    ['<a href=" javascript:x()">a</a>', /is blocked/],
    ['<a href=/about>a</a>', '<a href=/about>: the value needs quotes'],
    ['<img src="https://other.example/a.png" alt="">', /is blocked/],
    ['<img src="//other.example/a.png" alt="">', /is blocked/],
    ['<img srcset="/a.png 1x, https://other.example/b.png 2x" alt="">', /is blocked/],
    ['<form action="https://other.example/"></form>', /is blocked/],
    ['<img src="river.svg" alt="">', /must begin with "\/"/],
    ['<a href="about">a</a>', /must begin with "\/"/],
    ['<img src="/static/site/theme/files/lake.svg" alt="">', 'the folder has no file files/lake.svg'],
    ['<?php echo 1 ?>', /is not part of/],
    ['<!doctype html>', /is not part of/],
    ['<p title="\u0000search\u0000">a</p>', 'a part is inside a tag or a comment'],
    ['<!-- \u0000search\u0000 -->', 'a part is inside a tag or a comment'],
  ])('is refused as %j', (html, reason) => {
    if (typeof reason === 'string') expect(htmlFault(html, NO_FILES)).toBe(reason);
    else expect(htmlFault(html, NO_FILES)).toMatch(reason);
  });

  it.each([
    ['p { background: url(files/river.svg) url("data:image/png;base64,A") url(/favicon.ico) }', null],
    ['p { background: url(https://pictures.example/a.png) } /* url(files/lake.svg) */', null],
    ['p { background: url("files/lake.svg") }', 'the folder has no file files/lake.svg'],
    ['@import "https://fonts.example/css";', /must name a file/],
    ['@font-face { src: url(https://fonts.example/a.woff2) }', /must name a file/],
    ['p { background: url(river.svg) }', /must name a file/],
  ])('is checked together with the CSS %j', (css, reason) => {
    if (reason === null) expect(styleFault(css, NO_FILES)).toBeNull();
    else expect(styleFault(css, NO_FILES)).toMatch(reason);
  });
});

describe('templates of a folder', () => {
  /** Reads a theme and collects its faults by file. */
  function faultsOf(files: Record<string, string>) {
    const folder = mkdtempSync(join(home, 'theme-'));
    write(folder, files);
    const logged: any[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => logged.push(JSON.parse(line)) });
    let time = 0;
    const read = themeReader(folder, log, { now: () => (time += 2_000) });
    return { folder, read, theme: read(), logged, faults: logged.map(({ file, reason }) => [file, reason]) };
  }
  const HOME = '<h1>{{ site.title }}</h1>';

  it.each([
    ['header', '{% part logo %}', /no part "logo": a header has site, navigation, .*line:1, col:1/],
    ['header', '{% part search %}{% part search %}', 'the part "search" is placed twice'],
    ['header', '<p>\n{{ site.name }}</p>', /undefined variable: site\.name.*line:2, col:4/],
    ['header', '<h1>a</h1>', 'must have 0 <h1> (got 1)'],
    ['home', '<p>a</p>', 'must have 1 <h1> (got 0)'],
    ['home', `${HOME}{{ figures.pictures }}`, /undefined variable: figures\.pictures/],
    ['home', `${HOME}{{ 'layout.nothing' | t }}`, /no message without tags has the key layout\.nothing/],
    ['home', `${HOME}{{ 'count.dataset' | t }}`, /count/],
    ['home', `${HOME}{{ site.title | raw }}`, /undefined filter: raw/],
    ['home', `${HOME}{% include 'header' %}`, /tag "include" not found/],
    ['home', `${HOME}{% echo site.title %}`, /tag "echo" not found/],
    ['home', `${HOME}{% if viewer %}<div>{% endif %}`, '<div> is not closed'],
    ['home', `${HOME}{% if figures.datasets == 0 %}</div>{% endif %}`, '</div> closes no element'],
    ['home', `${HOME}{% if viewer %}`, /tag {% if viewer %} not closed/],
    ['home', `${HOME}{% for i in (1..99999) %}{% for j in (1..99999) %}{% endfor %}{% endfor %}`, /limit exceeded/],
    ['home', `${HOME}<script src="/x.js"></script>`, /^<script> is blocked/],
    ['home', `${HOME}<img src="/static/site/theme/files/none.png" alt="">`, 'the folder has no file files/none.png'],
    ['dataset', '{% part heading %}{{ dataset.extras.phone }}', /undefined variable: dataset\.extras\.phone/],
    ['dataset', '{% part heading %}{% if dataset.extras.phone %}<p>{% endif %}', '<p> is not closed'],
    ['dataset', '<h1>a</h1>{% part heading %}', 'must have 1 <h1> (got 2)'],
  ])('are ignored with a reason: %s %j', (region, source, reason) => {
    const { theme, faults } = faultsOf({ [`templates/${region}.html`]: source });
    expect(theme.templates).toEqual({});
    const matching = typeof reason === 'string' ? reason : expect.stringMatching(reason);
    expect(faults).toEqual([[`templates/${region}.html`, matching]]);
  });

  it('are used without the faulty ones, and an unchanged fault is logged once', () => {
    const { folder, read, theme, logged } = faultsOf({
      'templates/header.html': '{% part nothing %}',
      'templates/footer.html': '<p>{{ site.title }}</p>',
      'templates/footer.de.html': "<p>{{ 'layout.about' | t }} {{ 1234567 | number }}</p>",
      'theme.css': 'p { background: url(files/river.svg) }',
    });
    expect(Object.keys(theme.templates)).toEqual(['footer', 'footer.de']);
    expect(logged.map(({ file, msg }) => [file, msg])).toEqual([
      ['templates/header.html', 'theme file ignored'],
      ['theme.css', 'theme file has a fault'],
    ]);
    expect(theme.css).not.toBeNull();
    write(folder, { 'footer.md': 'New' });
    expect(read()).not.toBe(theme);
    expect(logged).toHaveLength(2);
    write(folder, {
      'files/river.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
      'templates/header.html': '<p>a</p>',
    });
    expect(Object.keys(read().templates)).toContain('header');
    expect(logged).toHaveLength(2);
  });

  it('add messages, in English for languages without a translation', () => {
    const { theme, faults } = faultsOf({
      'texts/en.json': '{ "own.hello": "Hello {name}", "own.bad": "{n, number, currency}", "own.<": "x" }',
      'texts/de.json': '{ "own.hello": "Hallo {name}" }',
    });
    expect(['en', 'de', 'ja'].map((language) => (theme.messages as any)[language]['own.hello'])).toEqual([
      'Hello {name}',
      'Hallo {name}',
      'Hello {name}',
    ]);
    expect(faults).toEqual([
      ['texts/en.json', expect.stringContaining('own.bad: uses {n, number with a style}')],
      ['texts/en.json', expect.stringContaining('own.<: no message has this key')],
    ]);
  });
});

describe('files of the theme', () => {
  it('are compressed once per change, and only the last 20 are cached', async () => {
    const folder = mkdtempSync(join(home, 'files-'));
    const files = new Map<string, Stored>();
    const read = (name: string) => packFileIn(folder, name, 'image/svg+xml', files);
    write(folder, { 'a.svg': '<svg/>' });
    const first = await read('a.svg');
    expect(await read('a.svg')).toBe(first);
    write(folder, { 'a.svg': '<svg a="1"/>' });
    utimesSync(join(folder, 'a.svg'), 1, 1);
    const second = await read('a.svg');
    expect(second).not.toBe(first);
    expect(await read('a.svg')).toBe(second);
    for (let index = 0; index < 20; index += 1) {
      write(folder, { [`b${index}.svg`]: '<svg/>' });
      await read(`b${index}.svg`);
    }
    expect([...files.keys()]).toEqual(Array.from({ length: 20 }, (_, index) => `b${index}.svg`));
    expect(await read('a.svg')).not.toBe(second);
    rmSync(join(folder, 'a.svg'));
    await expect(read('a.svg')).rejects.toMatchObject({ kind: 'NOT_FOUND' });
  });
});

describe('the example of the how-to page', () => {
  const folder = join(home, 'example');
  let world: World;
  beforeAll(async () => {
    writeThemeExample(folder);
    // Fails only on datasets of version 9.
    const path = join(folder, 'templates/dataset.html');
    writeFileSync(path, `${readFileSync(path, 'utf8')}{% if dataset.version == '9' %}<div>{% endif %}`);
    const port = await freePort();
    world = await createWorld({
      ...{ 'catalog.theme': folder, 'catalog.port': port, 'catalog.site_url': `http://127.0.0.1:${port}` },
      'catalog.site_title': 'Data of Kew',
    });
    const as = await world.make.sysadmin();
    const extras = [{ key: 'phone', value: '<b>020 1234</b>' }];
    const resources = [{ url: 'http://kew.example/levels.csv', format: 'CSV', name: 'Levels' }];
    await world.result('package_create', { name: 'rivers', title: 'Levels of rivers', extras, resources }, { as });
    await world.result('package_create', { name: 'lakes', title: 'Lakes', version: '9' }, { as });
  });
  afterAll(() => world?.end());
  const get = (path: string) => world.request(path, { headers: { accept: 'text/html' } });

  it('passes the check of the command, which lists the faults of another folder', async () => {
    const run = (at: string) =>
      promisify(execFile)(process.execPath, [join(projectRoot, 'scripts/catalog.mjs'), 'theme', 'check', at]).then(
        ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
        ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
      );
    writeThemeExample(join(home, 'right'));
    expect(await run(join(home, 'right'))).toMatchObject({ code: 0, stdout: expect.stringContaining('No faults') });
    write(join(home, 'wrong'), {
      'templates/home.html': '<h1>a</h1><script>x()</script>',
      'texts/en.json': '{ "a": "b" }',
    });
    expect(await run(join(home, 'wrong'))).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('templates/home.html: <script> is blocked'),
      stderr: expect.stringContaining('2 faults'),
    });
    expect(await run(join(home, 'none'))).toMatchObject({ code: 1, stdout: expect.stringContaining('no such folder') });
    const [style, texts] = ['css', 'json'].map((language) =>
      blocksOf('docs/how-to/make-a-theme.md').find((block) => block.language === language),
    );
    write(join(home, 'short'), {
      ...{ 'theme.css': style!.text, 'texts/de.json': texts!.text },
      ...{ 'files/river.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>', 'files/town.woff2': 'wOF2' },
    });
    expect(await run(join(home, 'short'))).toMatchObject({ code: 0, stdout: expect.stringContaining('No faults') });
  });

  it('replaces header, home, dataset and footer, in the language of the page', async () => {
    const { text } = await get('/');
    expect(text).toContain('<div class="bar town"><a href="https://www.kew.example/">Website of the town</a></div>');
    expect(text).toContain('<h1>2 open datasets of Kew</h1>');
    expect(text).toContain('<a href="/dataset?res_format=CSV">Tables</a>');
    expect(text).toContain('<p>Town of Kew, 1 River Street</p>');
    expect(text).toContain('<strong>The town publishes its data for everyone.</strong>');
    expect(text).not.toContain('class="themes"');
    const german = (await get('/de')).text;
    expect(german).toContain('<h1>2 offene Datensätze aus Kew</h1>');
    expect(german).toContain('<a href="/de/dataset?res_format=CSV">Tabellen</a>');
    expect((await get('/fr')).text).toContain('<h1>2 open datasets of Kew</h1>');
    const dataset = (await get('/dataset/rivers')).text;
    expect(dataset).toContain('<p class="phone">Questions? Call &lt;b&gt;020 1234&lt;/b&gt;.</p>');
    expect(dataset).not.toContain('For programs</h2>');
    expect((await get('/%')).text).toContain('Website of the town');
  });

  it('shows the default on a page for which the template fails', async () => {
    const { status, text } = await get('/dataset/lakes');
    expect([status, text.includes('For programs</h2>'), text.includes('class="bar town"')]).toEqual([200, true, true]);
  });

  it('is replaced by the default while a template has a fault', async () => {
    const path = join(folder, 'templates/footer.html');
    const before = readFileSync(path, 'utf8');
    writeFileSync(path, '<div>{% part programs %}');
    await until(async () => !(await get('/about')).text.includes('1 River Street'));
    expect((await get('/about')).text).toContain('Website of the town');
    writeFileSync(path, before);
    await until(async () => (await get('/about')).text.includes('1 River Street'));
  });

  describeWith('chromium', chromium !== null, 'in a browser', () => {
    it.each([
      [390, 'light'],
      [1440, 'light'],
      [390, 'dark'],
      [1440, 'dark'],
    ] as const)('is drawn at %i px in %s, without blocked content', async (width, colorScheme) => {
      const page = await openPage(chromium!, `${world.base}/`, { colorScheme, viewport: { width, height: 900 } });
      const pictures = join(projectRoot, '.cache/pictures');
      mkdirSync(pictures, { recursive: true });
      for (const [name, path] of Object.entries({ home: '/', german: '/de', dataset: '/dataset/rivers' })) {
        await page.tab.goto(world.base + path);
        writeFileSync(join(pictures, `template-${name}-${width}-${colorScheme}.png`), await page.picture());
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        expect(await page.evaluate('document.querySelectorAll("header, main, footer").length')).toBe(3);
      }
      await page.tab.goto(`${world.base}/`);
      const drawn = await page.evaluate(`getComputedStyle(document.querySelector('header')).backgroundImage`);
      await page.tab.locator('main input[name="q"]').fill('levels');
      await page.tab.keyboard.press('Enter');
      await page.tab.waitForURL(/\/dataset\?q=levels/);
      await page.close();
      expect(drawn).toContain('/static/site/theme/files/river.svg');
      expect(page.problems).toEqual([]);
      expect(page.requests.filter((url) => !url.startsWith(world.base) && !url.startsWith('data:'))).toEqual([]);
    });
  });
});
