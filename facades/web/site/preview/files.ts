/** Previews of files: text, JSON, images, documents, sound, films and web pages. */
import { h } from 'preact';
import { PagePreviewTextDocument } from '../../../../src/generated/operations.ts';
import { first } from '../search-query.ts';
import { type At, attempt, fieldsOf, type Previewer, type Shown } from './at.ts';
import { JsonPreview } from './json.tsx';
import { Elsewhere, Media, type MediaKind, NoPreview, TextPreview } from './media.tsx';
import { urlOf } from './table-state.ts';

/** Bytes of a file in its preview. */
const MAX_TEXT = 50_000;
const MAX_JSON = 1024 * 1024;

/** Beginning of the uploaded file. Null for links and binary files. */
export async function readText({ visit, resource }: At, maxBytes: number) {
  if (!resource.file) return null;
  const variables = { id: resource.databaseId, maxBytes };
  return (await visit.run(PagePreviewTextDocument, variables, visit.call)).resource.file?.text ?? null;
}

const JSON_FORMATS = /^(json|geojson|jsonld|json-ld|jsonp)$/i;

/** The beginning of a text, or a tree of JSON. */
export async function previewText(at: At): Promise<Shown> {
  const { resource } = at;
  const { t } = at.visit.frame.texts;
  if (!resource.file) return elsewhere(at);
  const isJson = JSON_FORMATS.test(resource.format) || /\.(geo)?json$/i.test(resource.file.name);
  const { data, fault, status } = await attempt(() => readText(at, isJson ? MAX_JSON : MAX_TEXT));
  if (fault !== undefined) return { content: h(NoPreview, { text: fault, url: resource.url }), status };
  if (data === null) return { content: h(NoPreview, { text: t('preview.noText'), url: resource.url }) };
  const value = isJson && data.isComplete ? parsed(data.text) : undefined;
  if (value !== undefined) return { content: h(JsonPreview, { value }) };
  const text = data.text.slice(0, MAX_TEXT);
  return {
    content: h(TextPreview, { text, isCut: !data.isComplete || text.length < data.text.length, url: resource.url }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Names of the fields in which views of a kind have an address of their own. */
const ADDRESSES: Readonly<Record<MediaKind, string>> = {
  image: 'image_url',
  pdf: 'pdf_url',
  audio: 'audio_url',
  video: 'video_url',
  page: 'page_url',
};
const DIRECTIVES: Readonly<Record<MediaKind, string>> = {
  image: 'img-src',
  pdf: 'frame-src',
  audio: 'media-src',
  video: 'media-src',
  page: 'frame-src',
};

/** Value of the parameter `load` that loads content from another site. Only the reader's own URL has it, not a saved view. */
const LOAD = 'external';

/** An image, a document, a sound, a film or a web page. Content of other sites loads only after a click. */
export function previewMedia(kind: MediaKind): Previewer {
  return async (at) => {
    const { t } = at.visit.frame.texts;
    const address = String(fieldsOf(at.view)[ADDRESSES[kind]] || at.resource.url);
    const url = sourceOf(address, at.visit.frame.siteUrl);
    if (!url) return { content: h(NoPreview, { text: t('preview.noAddress'), url: '' }) };
    const isOwn = url.startsWith('/');
    if (isOwn && kind === 'page')
      return {
        content: h(NoPreview, { text: t('preview.ownPage'), url: at.resource.url }),
      };
    if (!isOwn && kind === 'pdf') return elsewhere(at, url, false); // a frame with a PDF has no sandbox
    if (!isOwn && first(at.visit.req.query.load) !== LOAD) return elsewhere(at, url);
    const origin = isOwn ? "'self'" : new URL(url).origin;
    const title = at.view?.title || at.resource.name || kind;
    const sources = { [DIRECTIVES[kind]]: kind === 'image' ? `'self' data: ${origin}` : origin };
    return { content: h(Media, { kind, url, title }), sources, isPart: at.hasQuery };
  };
}

/** Hosts that a content security policy can name: without wildcards and separators. */
const HOST = /^[\w.:[\]-]+$/;

/** The address for an element: a path for files of this site, to which the page adds the path of the site. Null for addresses that browsers must not load. */
function sourceOf(address: string, siteUrl: string): string | null {
  if (!URL.canParse(address, `${siteUrl}/`)) return null;
  const { protocol, href, host } = new URL(address, `${siteUrl}/`);
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  if (!HOST.test(host)) return null;
  const root = new URL(siteUrl).href.replace(/\/$/, '');
  return href.startsWith(`${root}/`) ? href.slice(root.length) : href;
}

/** A link to the content at another site, and one that shows it here. */
export function elsewhere(at: At, url: string | null = null, mayShow = true): Shown {
  const show = url && mayShow ? urlOf(at.path, [...at.base, ['load', LOAD]]) : null;
  return { content: h(Elsewhere, { url: url ?? at.resource.url, show }) };
}
