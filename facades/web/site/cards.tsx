/** Datasets, organizations and groups as items of lists. */
import type { CardFragment, GroupCardFragment } from '../../../src/generated/operations.ts';
import type { Frame } from './frame.ts';
import { type IconName, iconOf } from './icons.tsx';
import { attribute, elementOf, filled, html, type Markup, SLOT } from './markup.ts';
import { Picture } from './picture.tsx';
import type { Texts } from './texts.ts';
import { useTexts } from './use-texts.ts';

/** Characters of a description in a list. */
const EXCERPT = 240;
/** Characters of a description for search engines. */
export const META_LENGTH = 200;
const MAX_FORMATS = 8;

export const Day = ({ instant }: { instant: string }) => <time dateTime={instant}>{useTexts().day(instant)}</time>;

/** A time in UTC, to the minute. */
export const Moment = ({ instant }: { instant: string }) => (
  <time dateTime={instant}>{useTexts().moment(instant)}</time>
);

/** Families of formats, which share a colour. Formats of no family are neutral. */
const FAMILIES = {
  table: ['CSV', 'TSV', 'XLS', 'XLSX', 'ODS', 'PARQUET'],
  tree: ['JSON', 'XML', 'RDF', 'JSON-LD', 'TTL', 'YAML'],
  map: ['GEOJSON', 'SHP', 'KML', 'KMZ', 'GPKG', 'WMS', 'WFS', 'GML'],
  text: ['PDF', 'HTML', 'DOC', 'DOCX', 'TXT', 'ODT'],
  image: ['PNG', 'JPEG', 'JPG', 'GIF', 'SVG', 'TIFF', 'WEBP'],
  archive: ['ZIP', 'GZ', 'TAR', '7Z', 'TGZ'],
  service: ['API', 'SPARQL', 'ODATA', 'REST', 'OPENAPI'],
} as const satisfies Partial<Record<IconName, readonly string[]>>;
type Family = keyof typeof FAMILIES;
const FAMILY_OF: ReadonlyMap<string, Family> = new Map(
  (Object.keys(FAMILIES) as Family[]).flatMap((family) => FAMILIES[family].map((format) => [format, family] as const)),
);

/** A format with the colour and the icon of its family. */
function formatOf(format: string): Markup {
  const family = FAMILY_OF.get(format.toUpperCase());
  const kind = family ? `format is-${family}` : 'format';
  return html`<span class="${kind}">${iconOf(family ?? 'file')} ${format}</span>`;
}

export const Format = ({ format }: { format: string }) => elementOf(formatOf(format));

export function DatasetCard({ match: { node, highlights } }: { match: CardFragment }) {
  const texts = useTexts();
  const { t, dataLang, langOf } = texts;
  const marked = highlights.find(({ field }) => field === 'title');
  const other = highlights.find(({ field }) => field !== 'title');
  // a long title is cut in its highlights, and a translated one has none
  const isMarked = marked && node.title.length <= EXCERPT && node.title === node.localTitle;
  const title = isMarked ? piecesOf(marked.pieces) : node.localTitle;
  const lang = attribute('lang', langOf(node.title, node.localTitle));
  const name = html`<a href="/dataset/${encodeURIComponent(node.name)}"${lang}>${title}</a>`;
  const secret = node.private && html`<span class="badge">${iconOf('lock')} ${t('state.private')}</span>`;
  const state = node.state !== 'active' && stateOf(node.state, t);
  const hint = other && other.field !== 'notes' && html`<span class="hint">${other.field}: </span>`;
  const text = other
    ? html`<p${attribute('lang', dataLang)}>${hint}${piecesOf(other.pieces)}</p>`
    : node.localNotes &&
      html`<p${attribute('lang', langOf(node.notes, node.localNotes))}>${excerpt(node.localNotes)}</p>`;
  const facts = html`<p class="meta">${factsOf(node, texts)}</p>`;
  return elementOf(html`<li class="card"><h3>${name} ${secret}${state}</h3>${text}${facts}</li>`);
}

function factsOf({ resources, organization, modifiedAt }: CardFragment['node'], { t, day, langOf }: Texts): Markup[] {
  const formats = [...new Set(resources.map(({ format }) => format.toUpperCase()).filter(Boolean))];
  const updated = filled(
    t('common.updated', { day: SLOT }),
    html`<time datetime="${modifiedAt}">${day(modifiedAt)}</time>`,
  );
  const owner =
    organization &&
    html`<span${attribute('lang', langOf(organization.title, organization.localTitle))}>${iconOf('organization')} ${
      organization.localTitle || organization.name
    }</span>`;
  return [
    ...formats.slice(0, MAX_FORMATS).map(formatOf),
    ...(formats.length > MAX_FORMATS ? [html`<span class="hint">+${formats.length - MAX_FORMATS}</span>`] : []),
    ...(owner ? [owner] : []),
    html`<span class="pair"><span>${iconOf('clock')} ${updated}</span><span>${iconOf('file')} ${t('count.resource', { count: resources.length })}</span></span>`,
  ];
}

const stateOf = (state: string, t: Texts['t']): Markup =>
  html`<span class="badge">${state === 'draft' || state === 'deleted' ? t(`state.${state}`) : state}</span>`;

/** The state of an object that is not active. */
export const State = ({ state }: { state: string }) => elementOf(stateOf(state, useTexts().t));

const piecesOf = (pieces: CardFragment['highlights'][number]['pieces']): Markup[] =>
  pieces.map(({ text, isMatch }) => (isMatch ? html`<mark>${text}</mark>` : html`${withoutMarkup(text)}`));

interface Tag {
  readonly name: string;
  readonly displayName: string;
  readonly localName: string;
}

/** A tag as an item of a list, with a link to its datasets. */
export const TagItem = ({ tag: { name, displayName, localName } }: { tag: Tag }) => (
  <li>
    <a href={`/dataset?tags=${encodeURIComponent(name)}`} lang={useTexts().langOf(displayName, localName)}>
      {localName}
    </a>
  </li>
);

interface GroupCardProps {
  readonly frame: Frame;
  readonly group: GroupCardFragment;
  readonly kind: 'organization' | 'group';
}

export function GroupCard({ frame, group, kind }: GroupCardProps) {
  const { t, langOf } = useTexts();
  const { displayName, localName, description, localDescription } = group;
  return (
    <li class="card">
      <Picture frame={frame} url={group.imageDisplayUrl} name={localName} isSmall />
      <h3>
        <a href={`/${kind}/${encodeURIComponent(group.name)}`} lang={langOf(displayName, localName)}>
          {localName}
        </a>
      </h3>
      {localDescription && <p lang={langOf(description, localDescription)}>{excerpt(localDescription, 120)}</p>}
      <p class="meta">{t('count.dataset', { count: group.datasetCount })}</p>
    </li>
  );
}

/** Part of a text in Markdown, without marks of emphasis and code. */
const withoutMarkup = (text: string): string => text.replace(/\*+|__+|`+/g, '');

/** The beginning of a text in Markdown, without its markup, cut at a word. */
export function excerpt(markdown: string, length = EXCERPT): string {
  const text = markdown
    .slice(0, 4 * length)
    .replace(/!?\[([^\][]*)\]\([^()\s]*\)/g, '$1')
    .replace(/^[ \t]*>+/gm, '')
    .replace(/[*_`#|~]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  if (text.length <= length) return text;
  const cut = text.slice(0, length);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), length - 30))}…`;
}
