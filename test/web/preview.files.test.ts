/** Previews of files in a browser, for a site below a path: documents, audio, video, images, and frames of other sites. */
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
// @ts-expect-error: a script without types
import { ensureChromium } from '../../scripts/chromium.mjs';
import { openPage, type Page } from '../helpers/browser.ts';
import { describeWith } from '../helpers/runtime.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

const PASSWORD = 'correct horse';
const RATE = 8_000;
/** A tone of one second. */
function wav(): Buffer<ArrayBuffer> {
  const head = Buffer.alloc(44);
  head.write('RIFF\0\0\0\0WAVEfmt ', 'latin1');
  head.writeUInt32LE(36 + RATE, 4);
  head.writeUInt32LE(16, 16);
  for (const [at, value] of [[20, 1], [22, 1], [32, 1], [34, 8]] as const) head.writeUInt16LE(value, at); // biome-ignore format: a table
  for (const [at, value] of [[24, RATE], [28, RATE], [40, RATE]] as const) head.writeUInt32LE(value, at); // biome-ignore format: a table
  head.write('data', 36, 'latin1');
  return Buffer.concat([head, Buffer.from(Array.from({ length: RATE }, (_, n) => 128 + 100 * Math.sin(n / 3)))]);
}
/** A video that the browser records itself. */
const FILM = `new Promise((resolve) => {
  const canvas = document.createElement('canvas');
  const timer = setInterval(() => canvas.getContext('2d').fillRect(Math.random() * 90, 0, 50, 50), 30);
  const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/webm' });
  recorder.ondataavailable = async ({ data }) => resolve([...new Uint8Array(await data.arrayBuffer())]);
  recorder.start();
  setTimeout(() => { recorder.stop(); clearInterval(timer); }, 1_000);
})`;
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PLACE = '{"type":"Feature","properties":{"name":"Weir"},"geometry":{"type":"Point","coordinates":[-0.3,51.5]}}';
const collection = (count: number) => `{"type":"FeatureCollection","features":[${Array(count).fill(PLACE).join(',')}]}`;
/** Number of places in a file that is too large for a map. */
const MANY_PLACES = Math.ceil((4 * 1024 * 1024) / PLACE.length);

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A page of another origin, with the URL of its query in a frame. */
const framing = () =>
  createServer((req, res) => {
    const src = new URL(req.url!, 'http://a.example').searchParams.get('src') ?? 'about:blank';
    res.setHeader('content-type', 'text/html;charset=utf-8');
    res.end(`<!doctype html><title>News</title><link rel="icon" href="data:,"><iframe src="${src}"></iframe>`);
  });

const chromium = ensureChromium() as string | null;
describeWith('Chromium', chromium !== null, 'files of a site below a path', () => {
  let world: World;
  let site: string;
  let news: string;
  let stranger: string;
  let page: Page;
  const servers: Server[] = [];
  const paths: Record<string, string> = {};

  beforeAll(async () => {
    // A proxy that removes the path of the site. Other paths are not found.
    const proxy = createServer((req, res) => {
      if (!/^\/data(?=[/?]|$)/.test(req.url!)) return void res.writeHead(404).end();
      const path = req.url!.slice('/data'.length).replace(/^(?!\/)/, '/');
      const { hostname, port } = new URL(world.base);
      const onward = httpRequest({ hostname, port, path, method: req.method, headers: req.headers }, (answer) => {
        res.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(res);
      });
      onward.on('error', () => res.destroy());
      req.pipe(onward);
    });
    servers.push(proxy, framing(), framing());
    [site, news, stranger] = (await Promise.all(servers.map(listen))) as [string, string, string];
    site += '/data';
    world = await createWorld({ 'catalog.site_url': site, 'catalog.views.embedding': [news] });
    page = await openPage(chromium!, `${site}/`);
    const pdf = Buffer.from(await page.tab.pdf());
    const film = Buffer.from(await page.evaluate(FILM));
    const as = await world.make.sysadmin();
    const ann = { name: 'ann', email: 'ann@example.org', password: PASSWORD };
    await world.result('user_create', ann, { as });
    const users = [{ name: 'ann', capacity: 'editor' }];
    await world.result('organization_create', { name: 'town', title: 'Town', users }, { as });
    for (const name of ['files', 'secret'])
      await world.result('package_create', { name, owner_org: 'town', private: name === 'secret' }, { as });
    const upload = async (dataset: string, file: string, bytes: string | Buffer<ArrayBuffer>) => {
      const body = new FormData();
      body.append('package_id', dataset);
      body.append('name', file);
      body.append('format', file.split('.')[1]!);
      body.append('upload', new Blob([bytes]), file);
      const { body: answer } = await world.request('/api/3/action/resource_create', {
        method: 'POST',
        headers: { authorization: as.key },
        body,
      });
      return `/dataset/${dataset}/resource/${answer.result.id}`;
    };
    for (const [file, bytes] of Object.entries({
      'paper.pdf': pdf,
      'tone.wav': wav(),
      'film.webm': film,
      'dot.png': Buffer.from(DOT, 'base64'),
      'places.geojson': collection(2),
      'many.geojson': collection(MANY_PLACES),
      'long.txt': 'word '.repeat(20_000),
    }))
      paths[file] = await upload('files', file, bytes);
    paths.secret = await upload('secret', 'places.geojson', collection(1));
  });
  afterAll(async () => {
    await page?.close();
    await world?.end();
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  const open = (file: string) => page.tab.goto(`${site}${paths[file]}`);
  const quiet = () => {
    expect(page.problems).toEqual([]);
    expect(
      page.requests.filter((url) => !url.startsWith(`${site}/`) && !/^(data|blob|chrome|chrome-extension):/.test(url)),
    ).toEqual([]);
  };

  it.each([
    ['audio', 'tone.wav', 'audio/wav'],
    ['video', 'film.webm', 'video/webm'],
  ])('%s is played, and read in ranges', async (element, file, type) => {
    await open(file);
    await page.evaluate(`(async (media) => {
      media.muted = true;
      media.preload = 'auto';
      await media.play();
    })(document.querySelector('main ${element}'))`);
    await page.until(`document.querySelector('main ${element}').currentTime > 0`);
    const source = await page.evaluate(`document.querySelector('main ${element}').currentSrc`);
    const whole = await fetch(source);
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect([whole.status, whole.headers.get('content-type')]).toEqual([200, type]);
    expect(whole.headers.get('accept-ranges')).toBe('bytes');
    expect(whole.headers.get('content-disposition')).toMatch(/^inline/);
    expect(whole.headers.get('x-content-type-options')).toBe('nosniff');
    const part = await fetch(source, { headers: { range: 'bytes=10-19' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${bytes.length}`]);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(10, 20));
    expect((await fetch(source, { headers: { range: `bytes=${bytes.length}-` } })).status).toBe(416);
    quiet();
  });

  it('a PDF file is shown in a frame', async () => {
    const answered = page.tab.waitForResponse(/paper\.pdf$/);
    await open('paper.pdf');
    await page.tab.locator('main iframe').scrollIntoViewIfNeeded();
    const answer = await answered;
    expect([answer.status(), answer.headers()['content-type']]).toEqual([200, 'application/pdf']);
    expect(answer.headers()['content-disposition']).toMatch(/^inline/);
    await until(() => page.tab.frames().some((frame) => frame.url().startsWith('chrome-extension:'))); // the browser's own viewer
    quiet();
  });

  it('an image is loaded below the path of the site', async () => {
    await open('dot.png');
    const [image] = await page.evaluate(
      `[...document.querySelectorAll('main .media img')].map(({ src, naturalWidth }) => ({ src, naturalWidth }))`,
    );
    expect(image).toEqual({
      src: expect.stringMatching(new RegExp(`^${site}/dataset/.*/dot\\.png$`)),
      naturalWidth: 1,
    });
    quiet();
  });

  it('a map is drawn below the path of the site', async () => {
    await open('places.geojson');
    await page.until('document.querySelector(".map").dataset.ready || document.querySelector(".map.failed")');
    expect(await page.evaluate('document.querySelector(".map").dataset.ready')).toBe('2');
    quiet();
  });

  it('the preview of a file that is too large says so, with a link to the file', async () => {
    await open('many.geojson');
    const main = page.tab.getByRole('main');
    expect(await main.locator('.empty').textContent()).toBe(
      'The file is too large for a map here (more than 4 MiB). Download it to see its places.',
    );
    expect(await page.tab.locator('.map').count()).toBe(0);
    for (const at of [`${paths['many.geojson']}?as=text`, paths['long.txt']!]) {
      await page.tab.goto(site + at);
      expect(await main.locator('.preview .hint').textContent()).toContain('Only the beginning is shown.');
      expect((await main.locator('pre.file').textContent())!.length).toBeLessThan(51_000);
      const link = await main.getByRole('link', { name: 'Open the whole file' }).getAttribute('href');
      expect((await fetch(new URL(link!, site), { method: 'HEAD' })).status).toBe(200);
    }
    quiet();
  });

  describe('in frames of other sites', () => {
    /** Heading of the framed page; null if the browser refuses the frame. */
    async function framed(origin: string, path: string): Promise<string | null> {
      await page.tab.goto(`${origin}/?src=${encodeURIComponent(site + path)}`);
      const frame = page.tab.frames()[1]!;
      await frame.waitForLoadState();
      return frame.url().startsWith('chrome-error:') ? null : frame.locator('h1').textContent();
    }

    it('previews are shown on the sites of the setting', async () => {
      const before = page.problems.length;
      expect(await framed(news, `${paths['places.geojson']}/embed`)).toBe('Text');
      const map = page.tab.frames()[1]!.locator('.map[data-ready="2"]');
      await map.waitFor();
      expect(await framed(news, `${paths['tone.wav']}/embed`)).toBe('tone.wav');
      expect(page.problems.slice(before)).toEqual([]);
    });

    it.each(['/', '/dataset', '/dataset/files', '/user/login', '/dataset/new', '/nothing'])(
      'the page %s is refused',
      async (path) => expect(await framed(news, path)).toBeNull(),
    );

    it('pages of resources, and previews on other sites, are refused', async () => {
      expect(await framed(news, paths['tone.wav']!)).toBeNull();
      expect(await framed(stranger, `${paths['tone.wav']}/embed`)).toBeNull();
    });

    it('private previews are refused, also to readers who may open them', async () => {
      const embed = `${paths.secret}/embed`;
      expect(await framed(news, embed)).toBeNull();
      await page.tab.goto(`${site}/user/login`);
      await page.tab.getByLabel('Name or e-mail address').fill('ann');
      await page.tab.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.tab.getByRole('button', { name: 'Log in', exact: true }).click();
      await page.tab.waitForURL(/\/data\/user\/ann/);
      expect(await framed(news, embed)).toBeNull();
      expect((await page.tab.goto(site + embed))!.status()).toBe(200);
      expect(await page.tab.locator('h1').textContent()).toBe('Text');
    });
  });
});

it('previews are refused in frames of all sites if the setting is empty', async () => {
  const world = await createWorld({ 'catalog.views.embedding': [] });
  try {
    const { body } = await world.make.dataset({ resources: [{ url: 'http://town.example/a.csv' }] });
    const { status, headers } = await world.request(`/dataset/${body.name}/resource/${body.resources[0]!.id}/embed`);
    expect([status, headers.get('content-security-policy')]).toEqual([
      200,
      expect.stringContaining("frame-ancestors 'none'"),
    ]);
  } finally {
    await world.end();
  }
});
