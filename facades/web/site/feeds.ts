/** Serves the Atom feeds of datasets at CKAN's addresses. They list public datasets only, for every reader. */
import { Router } from 'express';
import {
  type DatasetSearchInput,
  FeedGroupDocument,
  FeedOrganizationDocument,
  FeedSearchDocument,
  FeedTagDocument,
} from '../../../src/generated/operations.ts';
import { quoted } from '../../../src/kernel/text.ts';
import { atomFeed, type FeedData, type FeedPages } from './atom.ts';
import { EVERYTHING, feedOf } from './feed-paths.ts';
import { type Reading, reading } from './reading.ts';
import { first, hrefOf, pageNumber, pageParam, texts } from './search-query.ts';
import type { SiteOptions } from './visit.ts';

const ATOM = 'application/atom+xml;charset=utf-8';
const PAGE_SIZE = 20;
const NEWEST = 'metadata_modified desc';
/** Parameters of the custom feed other than filters. */
const NO_FILTERS = new Set(['q', 'fq', 'page', 'sort']);
/** A field of the search index. */
const FIELD = /^[a-z]\w{0,99}$/i;
/** Filters of one URL; further ones are ignored. */
const MAX_FILTERS = 50;

type Params = readonly (readonly [name: string, value: string])[];

interface Subject {
  /** Path of the feed. */
  readonly path: string;
  /** Path of the page that shows the same. */
  readonly page: string;
  /** Title after that of the site. */
  readonly title: string;
}

export function feedsRouter(options: SiteOptions): Router {
  const router = Router({ caseSensitive: true });
  const get = (path: string | RegExp, work: (it: Reading) => Promise<void>) => router.get(path, reading(options, work));
  get(EVERYTHING, async (it) => {
    const data = await it.run(FeedSearchDocument, { input: inputOf(it, []) }, it.call);
    await send(it, data, { path: EVERYTHING, page: '/dataset', title: it.texts.t('feed.everything') });
  });
  get('/feeds/custom.atom', async (it) => {
    const { query, filters, params } = customOf(it.req.query as Query);
    const sort = first(it.req.query.sort) || NEWEST;
    const data = await it.run(FeedSearchDocument, { input: { ...inputOf(it, filters), query, sort } }, it.call);
    const title = query ? it.texts.t('feed.searchOf', { query }) : it.texts.t('feed.search');
    const page = hrefOf('/dataset', query ? [['q', query]] : []);
    await send(it, data, { path: '/feeds/custom.atom', page, title }, params);
  });
  get('/feeds/organization/:name', async (it) => {
    const id = nameOf(it);
    const input = inputOf(it, [`organization:${quoted(id)}`]);
    const data = await it.run(FeedOrganizationDocument, { id, input }, it.call);
    await sendOf(it, 'organization', data, data.organization);
  });
  get('/feeds/group/:name', async (it) => {
    const id = nameOf(it);
    const data = await it.run(FeedGroupDocument, { id, input: inputOf(it, [`groups:${quoted(id)}`]) }, it.call);
    await sendOf(it, 'group', data, data.group);
  });
  get('/feeds/tag/:name', async (it) => {
    const name = nameOf(it);
    const data = await it.run(FeedTagDocument, { name, input: inputOf(it, [`tags:${quoted(name)}`]) }, it.call);
    const page = `/dataset?tags=${encodeURIComponent(name)}`;
    await send(it, data, { path: feedOf('tag', name), page, title: data.tag.displayName });
  });
  return router;
}

/** Name in the path, with or without `.atom`. */
const nameOf = ({ req }: Reading): string => String(req.params.name).replace(/\.atom$/, '');

const sizeOf = ({ rows }: Reading): number => Math.min(PAGE_SIZE, rows);

const inputOf = (it: Reading, filters: string[]): DatasetSearchInput => ({
  filters,
  sort: NEWEST,
  rows: sizeOf(it),
  start: (pageNumber(it.req.query.page) - 1) * sizeOf(it),
});

type Query = Readonly<Record<string, unknown>>;

/** Search of the custom feed: `q`, filters in Lucene syntax (`fq`), and fields with a value, such as `organization=town`. */
function customOf(query: Query): { query: string; filters: string[]; params: Params } {
  const raw = texts(query.fq).slice(0, MAX_FILTERS);
  const fields = Object.entries(query)
    .filter(([name]) => FIELD.test(name) && !NO_FILTERS.has(name))
    .flatMap(([name, value]) => texts(value).map((text) => [name, text] as const))
    .slice(0, MAX_FILTERS);
  const q = first(query.q).trim();
  return {
    query: q,
    filters: [...raw, ...fields.map(([name, value]) => `${name}:${quoted(value)}`)],
    params: [['q', q], ...raw.map((filter) => ['fq', filter] as const), ...fields, ['sort', first(query.sort)]],
  };
}

/** The feed of an organization or group. An id leads to the name. */
async function sendOf(
  it: Reading,
  kind: 'organization' | 'group',
  data: FeedData,
  { name, displayName }: { readonly name: string; readonly displayName: string },
): Promise<void> {
  const path = feedOf(kind, name);
  if (nameOf(it) !== name) return void it.res.redirect(302, it.siteUrl + path);
  await send(it, data, { path, page: `/${kind}/${encodeURIComponent(name)}`, title: displayName });
}

async function send(it: Reading, data: FeedData, { path, page, title }: Subject, params: Params = []): Promise<void> {
  const { siteUrl } = it;
  const current = pageNumber(it.req.query.page);
  const last = Math.max(1, Math.ceil(data.datasetSearch.count / sizeOf(it)));
  const at = (number: number) => siteUrl + hrefOf(path, [...params, ['page', pageParam(number)]]);
  const pages: FeedPages = {
    id: at(1),
    self: at(current),
    alternate: siteUrl + page,
    first: at(1),
    last: at(last),
    ...(current > 1 && { previous: at(Math.min(current - 1, last)) }),
    ...(current < last && { next: at(current + 1) }),
  };
  await it.send(ATOM, atomFeed(data, pages, title, siteUrl));
}
