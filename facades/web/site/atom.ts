/** Writes datasets as an Atom feed (RFC 4287), in pages (RFC 5005). */
import type { FeedSearchQuery } from '../../../src/generated/operations.ts';
import { element, XML_DECLARATION } from '../../shared/xml.ts';
import { excerpt } from './cards.tsx';

export type FeedData = Pick<FeedSearchQuery, 'site' | 'datasetSearch'>;
type Entry = FeedData['datasetSearch']['results'][number];

/** Absolute URLs. */
export interface FeedPages {
  /** The same on every page of the feed. */
  readonly id: string;
  readonly self: string;
  /** The page for people. */
  readonly alternate: string;
  readonly first: string;
  readonly last: string;
  readonly previous?: string;
  readonly next?: string;
}

/** Characters of a description. */
const SUMMARY = 2_000;
/** An empty feed never changed. */
const NEVER = '1970-01-01T00:00:00.000Z';
const LINKS = ['self', 'alternate', 'first', 'previous', 'next', 'last'] as const;

export function atomFeed({ site, datasetSearch }: FeedData, pages: FeedPages, title: string, siteUrl: string): string {
  const { results } = datasetSearch;
  const updated =
    results
      .map(({ modifiedAt }) => modifiedAt)
      .sort()
      .at(-1) ?? NEVER;
  const feed = element('feed', { xmlns: 'http://www.w3.org/2005/Atom' }, [
    element('id', {}, pages.id),
    element('title', {}, `${site.title} – ${title}`),
    ...(site.description ? [element('subtitle', {}, site.description)] : []),
    element('updated', {}, updated),
    element('author', {}, [element('name', {}, site.title), element('uri', {}, siteUrl)]),
    ...LINKS.flatMap((rel) => (pages[rel] === undefined ? [] : [linkOf(rel, pages[rel])])),
    element('icon', {}, `${siteUrl}/favicon.ico`),
    ...results.map((entry) => `\n${entryOf(entry, siteUrl)}`),
  ]);
  return `${XML_DECLARATION}${feed}\n`;
}

const linkOf = (rel: string, href: string): string =>
  element('link', { rel, type: rel === 'alternate' ? 'text/html' : 'application/atom+xml', href });

function entryOf(entry: Entry, siteUrl: string): string {
  const { name, title, notes, author, embeddedOrganization, tags } = entry;
  const creator = author || embeddedOrganization?.title || embeddedOrganization?.name;
  const json = `${siteUrl}/api/3/action/package_show?id=${encodeURIComponent(name)}`;
  return element('entry', {}, [
    element('id', {}, `${siteUrl}/dataset/${encodeURIComponent(entry.databaseId)}`),
    element('title', {}, title),
    element('updated', {}, entry.modifiedAt),
    element('published', {}, entry.createdAt),
    linkOf('alternate', `${siteUrl}/dataset/${encodeURIComponent(name)}`),
    element('link', { rel: 'enclosure', type: 'application/json', href: json }),
    ...(creator ? [element('author', {}, [element('name', {}, creator)])] : []),
    ...(notes ? [element('summary', {}, excerpt(notes, SUMMARY))] : []),
    ...tags.map((tag) => element('category', { term: tag.name })),
  ]);
}
