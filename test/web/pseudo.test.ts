/**
 * All pages in the pseudo-locale, in which each letter of a message has an accent. Data of this test has no letters a to z. So a letter a
 * to z in a visible text means that the text has no message.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createWorld, type World } from '../helpers/world.ts';

/** Names that are not translated. */
const NAMES = [
  ...[
    'GraphQL',
    'Action API',
    'DCAT',
    'Croissant',
    'Turtle',
    'RDF/XML',
    'N-Triples',
    'JSON-LD',
    'N3',
    'TriG',
    'Atom',
    'BibTeX',
  ],
  ...[
    'CSV',
    'TSV',
    'JSON',
    'NDJSON',
    'Parquet',
    'XLSX',
    'SVG',
    'PNG',
    'curl',
    'Python',
    'JavaScript',
    'R',
    'SQL',
    'URL',
    'UTC',
  ],
];
/** Texts that are data by their form. */
const DATA = /https?:\/\/\S+|\S+@\S+\.\S+|\badmin-[0-9a-f]+|\b(?:default|logged_in|visitor|lat|lon)\b/g;
/** Elements whose content is for programs, or lists data of the software, such as the titles of licenses. */
const SKIPPED = new Set(['script', 'style', 'code', 'pre', 'svg', 'textarea']);
const LISTS_OF_DATA = /^<select[^>]* name="(?:licenseId|license_id)"/;
const ATTRIBUTE = / (?:aria-label|placeholder|alt|title)="([^"]*)"/g;
const VOID = new Set(['meta', 'link', 'input', 'img', 'br', 'hr', 'path', 'rect', 'use', 'circle']);

/** Pages whose texts have no messages yet. This list may only shrink. */
const NOT_YET: readonly RegExp[] = [];

const PASSWORD = 'correct horse';
const MAX_PAGES = 150;

/** Resource with a table. */
const TABLE = '8b7cbb0c-6d2b-4fb1-a1c5-0d8a2f0a7a11';
const AT = `/dataset/3005/resource/${TABLE}`;

let world: World;
let cookie: string;
beforeAll(async () => {
  world = await createWorld({ 'catalog.locales_offered': ['en-XA'], 'catalog.site_title': 'Πόλη' });
  await world.datastore();
  const as = await world.make.sysadmin();
  await world.result(
    'user_create',
    { name: '0002', email: '2@1.gr', password: PASSWORD, fullname: 'Ωμέγα', about: 'Ωδή' },
    { as },
  );
  const login =
    'mutation ($login: String!, $password: String!) { login(input: { login: $login, password: $password }) { session { secret } } }';
  const { body } = await world.graph(login, { login: '0002', password: PASSWORD });
  cookie = `catalog_session=${body.data.login.session.secret}`;
  await world.result(
    'organization_create',
    {
      ...{ name: '1001', title: 'Δήμος', description: 'Ένας **δήμος**', users: [{ name: '0002', capacity: 'admin' }] },
      extras: [{ key: 'Ύψος', value: '300' }],
    },
    { as },
  );
  await world.result(
    'group_create',
    { name: '2001', title: 'Ύδωρ', users: [{ name: '0002', capacity: 'admin' }] },
    { as },
  );
  for (const number of Array.from({ length: 23 }, (_, index) => index))
    await world.result(
      'package_create',
      {
        name: `3${String(number).padStart(3, '0')}`,
        title: `Στάθμη ${number}`,
        notes: 'Όλοι οι **ποταμοί**',
        owner_org: '1001',
        private: number === 1,
        groups: [{ name: '2001' }],
        tags: Array.from({ length: number === 0 ? 13 : 1 }, (_, index) => ({ name: `ύδωρ ${index}` })),
        extras: [{ key: 'Μήκος', value: '5' }],
        resources: [
          {
            ...(number === 5 && { id: TABLE }),
            url: `http://1.gr/${number}.csv`,
            name: 'Πίνακας',
            format: 'Ψ',
            description: 'Αριθμοί',
            size: 2_000,
          },
        ],
      },
      { as },
    );
  const fields = ['Σταθμός', 'Ύψος', 'Ημέρα', 'lat', 'lon'].map((id, at) => ({
    id,
    type: ['text', 'numeric', 'date', 'float', 'float'][at],
  }));
  const record = { Σταθμός: 'Ψαρά', Ύψος: 2, Ημέρα: '2026-01-01', lat: 38, lon: 25 };
  const records = Array.from({ length: 60 }, () => record);
  await world.result('datastore_create', { resource_id: TABLE, force: true, fields, records }, { as });
  await world.result('package_patch', { id: '3000', title: 'Στάθμη', tags: [] }, { as });
  await world.result('package_delete', { id: '3002' }, { as });
});
afterAll(() => world.end());

const decoded = (text: string) => text.replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** Visible texts of a page, its title, and texts of attributes that are read aloud. */
function textsOf(html: string): string[] {
  const texts: string[] = [];
  const skipped: string[] = [];
  for (const [token] of html.matchAll(/<[^>]+>|[^<]+/g)) {
    if (!token.startsWith('<')) {
      if (skipped.length === 0) texts.push(decoded(token));
      continue;
    }
    const [, end, name = ''] = /^<(\/?)([a-z0-9]+)/.exec(token) ?? [];
    const opens = !end && !token.endsWith('/>') && !VOID.has(name);
    if (skipped.length > 0) {
      if (opens) skipped.push(name);
      else if (end) skipped.pop();
    } else if (opens && (SKIPPED.has(name) || LISTS_OF_DATA.test(token))) skipped.push(name);
    if (skipped.length === 0 || opens) for (const [, text] of token.matchAll(ATTRIBUTE)) texts.push(decoded(text!));
    const description = /^<meta (?:name="description"|property="og:\w+") content="([^"]*)"/.exec(token)?.[1];
    if (description && !token.includes('og:type')) texts.push(decoded(description));
  }
  return texts;
}

const untranslated = (text: string): boolean =>
  /[A-Za-z]/.test(
    NAMES.reduce((rest, name) => rest.replace(new RegExp(`(?<!\\w)${name}(?!\\w)`, 'g'), ''), text.replace(DATA, '')),
  );

const isPage = (path: string) =>
  path.startsWith('/') &&
  !/^\/(?:api|graphql|graphiql|static|feeds|datastore|catalog\.|uploads)|\.\w+$|\/(?:croissant|download)/.test(path);

/** Crawls pages from these paths. Returns texts without a message, by page. */
async function crawl(paths: readonly string[], headers: Record<string, string>) {
  const seen = new Set<string>(paths);
  const found: Record<string, string[]> = {};
  const kinds = new Map<string, number>();
  let read = 0;
  for (const path of seen) {
    const kind = path.replace(/\?.*/, '?').replace(/\d{4}|[0-9a-f]{8}-[0-9a-f-]{27}/g, 'N');
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (kinds.get(kind)! > 3 || read >= MAX_PAGES) continue;
    const { status, text, headers: sent } = await world.request(path, { headers: { accept: 'text/html', ...headers } });
    if (!sent.get('content-type')?.startsWith('text/html')) continue;
    read += 1;
    expect([path, status < 500]).toEqual([path, true]);
    const bad = textsOf(text).filter(untranslated);
    if (bad.length > 0 && !NOT_YET.some((page) => page.test(path)))
      found[path] = [...new Set(bad.map((it) => it.trim()))];
    for (const [, href] of text.matchAll(/<a\b[^>]*? href="([^"#]*)/g)) {
      const target = decoded(href!);
      if (isPage(target)) seen.add(target);
    }
  }
  return { read, found };
}

const PATHS = [
  ...['/', '/about', '/stats', '/user/login', '/user/register', '/user/reset', '/user/logged-out', '/activity', '/tag'],
  ...[
    '/nothing',
    '/dataset/nothing',
    '/dataset/%ff',
    '/dataset?page=9',
    '/dataset?q=999&tags=0',
    '/user/login?notice=password',
  ],
  ...['/organization?q=0', '/group?sort=name+asc', '/user?q=0', '/user/reset/1?key=2'],
  ...[AT, `${AT}?as=chart`, `${AT}?as=map`, `${AT}?as=sql`, `${AT}/record/1`],
  `${AT}/embed?column=Σταθμός&is=eq&value=Ψαρά`,
];

it('shows visitors no text without a message', async () => {
  const { read, found } = await crawl(PATHS, {});
  expect(read).toBeGreaterThan(40);
  expect(found).toEqual({});
});

it('shows users no text without a message', async () => {
  const own = ['/dashboard', '/dataset/new', '/user/me', '/dataset/3001', '/dataset/3002', '/dataset/delete/3003'];
  const { read, found } = await crawl([...own, ...PATHS], { cookie });
  expect(read).toBeGreaterThan(50);
  expect(found).toEqual({});
});
