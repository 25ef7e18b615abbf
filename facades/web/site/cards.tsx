/** Datasets, organizations and groups as items of lists. */
import type { CardFragment, GroupCardFragment } from '../../../src/generated/operations.ts';
import type { Frame } from './frame.ts';
import { Icon, type IconName } from './icons.tsx';
import { Picture } from './picture.tsx';
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

/** `dataset` 1 → `1 dataset`, 2 → `2 datasets`. For pages without messages. */
export const counted = (count: number, word: string): string =>
  `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;

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
export function Format({ format }: { format: string }) {
  const family = FAMILY_OF.get(format.toUpperCase());
  return (
    <span class={family ? `format is-${family}` : 'format'}>
      <Icon name={family ?? 'file'} /> {format}
    </span>
  );
}

export function DatasetCard({ match: { node, highlights } }: { match: CardFragment }) {
  const { t, rich, dataLang, langOf } = useTexts();
  const formats = [...new Set(node.resources.map(({ format }) => format.toUpperCase()).filter(Boolean))];
  const marked = (field: string) => highlights.find((one) => one.field === field)?.pieces;
  const other = highlights.find(({ field }) => field !== 'title');
  return (
    <li class="card">
      <h3>
        <a href={`/dataset/${encodeURIComponent(node.name)}`} lang={langOf(node.title, node.localTitle)}>
          {/* a long title is cut in its highlights, and a translated one has none */}
          {node.title.length <= EXCERPT && node.title === node.localTitle && marked('title') ? (
            <Pieces pieces={marked('title')!} />
          ) : (
            node.localTitle
          )}
        </a>{' '}
        {node.private && (
          <span class="badge">
            <Icon name="lock" /> {t('state.private')}
          </span>
        )}
        {node.state !== 'active' && <State state={node.state} />}
      </h3>
      {other ? (
        <p lang={dataLang}>
          {other.field !== 'notes' && <span class="hint">{other.field}: </span>}
          <Pieces pieces={other.pieces} />
        </p>
      ) : (
        node.localNotes && <p lang={langOf(node.notes, node.localNotes)}>{excerpt(node.localNotes)}</p>
      )}
      <p class="meta">
        {formats.slice(0, MAX_FORMATS).map((format) => (
          <Format key={format} format={format} />
        ))}
        {formats.length > MAX_FORMATS && <span class="hint">+{formats.length - MAX_FORMATS}</span>}
        {node.organization && (
          <span lang={langOf(node.organization.title, node.organization.localTitle)}>
            <Icon name="organization" /> {node.organization.localTitle || node.organization.name}
          </span>
        )}
        <span>
          <Icon name="clock" /> {rich('common.updated', { day: <Day instant={node.modifiedAt} /> })}
        </span>
        <span>
          <Icon name="file" /> {t('count.resource', { count: node.resources.length })}
        </span>
      </p>
    </li>
  );
}

/** The state of an object that is not active. */
export function State({ state }: { state: string }) {
  const { t } = useTexts();
  return <span class="badge">{state === 'draft' || state === 'deleted' ? t(`state.${state}`) : state}</span>;
}

const Pieces = ({ pieces }: { pieces: CardFragment['highlights'][number]['pieces'] }) => (
  <>{pieces.map(({ text, isMatch }) => (isMatch ? <mark key={text}>{text}</mark> : withoutMarkup(text)))}</>
);

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
