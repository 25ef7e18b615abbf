/** Serves `/robots.txt`, `/sitemap.xml`, and the files that it lists: the pages of everything public, for search engines. */
import { Router } from 'express';
import {
  SitemapCountsDocument,
  SitemapDatasetsDocument,
  SitemapGroupsDocument,
  SitemapOrganizationsDocument,
  SitemapTagsDocument,
} from '../../../src/generated/operations.ts';
import { pathOfSite } from '../../shared/slash.ts';
import { element, XML_DECLARATION } from '../../shared/xml.ts';
import { type Reading, reading } from './reading.ts';
import type { SiteOptions } from './visit.ts';

/** URLs of one file, as the protocol limits them. */
const PER_FILE = 50_000;
/** URLs that are read at a time. Those of datasets are read by a list of their own, which has no documents. */
const BATCH = { dataset: 10_000, other: 1_000 } as const;
const XMLNS = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const XML = 'application/xml;charset=utf-8';

/** Pages that every catalog has. */
const PAGES = ['/', '/dataset', '/organization', '/group', '/tag', '/about', '/stats', '/activity'];

/** Paths that search engines need not read. Patterns are those of RFC 9309. */
const DISALLOWED = [
  '/api/',
  '/graphql',
  '/user/login',
  '/user/register',
  '/user/reset',
  '/*/user/login',
  '/*/user/register',
  '/*/user/reset',
  '/feeds/custom.atom',
  '/*?*sort=',
  '/*?*_limit=',
];

interface Entry {
  readonly path: string;
  readonly modifiedAt?: string;
}

type Kind = 'dataset' | 'organization' | 'group' | 'tag';
type Read = (reading: Reading, part: { limit: number; offset: number }) => Promise<Entry[]>;

const named =
  (prefix: string) =>
  ({ name }: { readonly name: string }): Entry => ({ path: prefix + encodeURIComponent(name) });

const READ: Readonly<Record<Kind, Read>> = {
  dataset: async ({ run, call }, part) =>
    (await run(SitemapDatasetsDocument, part, call)).datasetStamps.map(({ name, modifiedAt }) => ({
      ...named('/dataset/')({ name }),
      modifiedAt,
    })),
  organization: async ({ run, call }, part) =>
    (await run(SitemapOrganizationsDocument, part, call)).organizationList.map(named('/organization/')),
  group: async ({ run, call }, part) => (await run(SitemapGroupsDocument, part, call)).groupList.map(named('/group/')),
  tag: async ({ run, call }, part) =>
    (await run(SitemapTagsDocument, part, call)).tagList.nodes.map(named('/dataset?tags=')),
};

export function sitemapRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const { siteUrl } = options;
  const root = pathOfSite(siteUrl);
  const robots = [
    'User-agent: *',
    `Allow: ${root}/api/docs`,
    ...DISALLOWED.map((path) => `Disallow: ${root}${path}`),
    '',
    `Sitemap: ${siteUrl}/sitemap.xml`,
    '',
  ].join('\n');
  router.get(
    '/robots.txt',
    reading(options, ({ send }) => send('text/plain;charset=utf-8', robots)),
  );
  router.get(
    '/sitemap.xml',
    reading(options, async (it) => {
      const files = await filesOf(it);
      const items = files.map(({ path, modifiedAt }) => itemOf('sitemap', siteUrl + path, modifiedAt));
      await it.send(XML, `${XML_DECLARATION}${element('sitemapindex', { xmlns: XMLNS }, items)}\n`);
    }),
  );
  router.get(
    /^\/sitemap-(pages|dataset|organization|group|tag)-([1-9]\d{0,5})\.xml$/,
    reading(options, async (it) => {
      const [kind, number] = [String(it.req.params[0]), Number(it.req.params[1])];
      const batches = kind === 'pages' ? pagesOf(number) : batchesOf(it, kind as Kind, number, options.rows);
      const first = await batches.next(); // before anything is sent, so that a failure has a status
      if (first.done) return it.next();
      await it.stream(XML, textOf(first.value, batches, siteUrl));
    }),
  );
  return router;
}

/** The files of the index. That of datasets has the time of its newest change: files are in the order of changes, so most stay as they are. */
async function filesOf(it: Reading): Promise<Entry[]> {
  const counts = await it.run(SitemapCountsDocument, {}, it.call);
  const files: Entry[] = [{ path: '/sitemap-pages-1.xml' }];
  for (const kind of ['dataset', 'organization', 'group', 'tag'] as const) {
    const { totalCount } = counts[`${kind}s`];
    for (let number = 1; (number - 1) * PER_FILE < totalCount; number++) {
      const last = Math.min(number * PER_FILE, totalCount) - 1;
      const [newest] = kind === 'dataset' ? await READ.dataset(it, { limit: 1, offset: last }) : [];
      files.push({ path: `/sitemap-${kind}-${number}.xml`, ...(newest && { modifiedAt: newest.modifiedAt! }) });
    }
  }
  return files;
}

async function* pagesOf(number: number): AsyncGenerator<Entry[], void> {
  if (number === 1) yield PAGES.map((path) => ({ path }));
}

/** The entries of a file. Holds one batch at a time. */
async function* batchesOf(it: Reading, kind: Kind, number: number, rows: number): AsyncGenerator<Entry[], void> {
  const end = number * PER_FILE;
  const size = kind === 'dataset' ? BATCH.dataset : Math.min(BATCH.other, rows);
  for (let offset = end - PER_FILE; offset < end; offset += size) {
    const limit = Math.min(size, end - offset);
    const entries = await READ[kind](it, { limit, offset });
    if (entries.length > 0) yield entries;
    if (entries.length < limit) return;
  }
}

async function* textOf(first: Entry[], more: AsyncIterable<Entry[]>, siteUrl: string): AsyncGenerator<string> {
  const batch = (entries: Entry[]) =>
    entries.map(({ path, modifiedAt }) => itemOf('url', siteUrl + path, modifiedAt)).join('\n');
  yield `${XML_DECLARATION}<urlset xmlns="${XMLNS}">\n${batch(first)}\n`;
  for await (const entries of more) yield `${batch(entries)}\n`;
  yield '</urlset>\n';
}

const itemOf = (name: string, address: string, modifiedAt?: string): string =>
  element(name, {}, [element('loc', {}, address), ...(modifiedAt ? [element('lastmod', {}, modifiedAt)] : [])]);
