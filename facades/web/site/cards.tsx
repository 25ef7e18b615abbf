/** Datasets, organizations and groups as items of lists. */
import type { CardFragment, GroupCardFragment } from '../../../src/generated/operations.ts';
import { Icon, type IconName } from './icons.tsx';

/** Characters of a description in a list. */
const EXCERPT = 240;
/** Characters of a description for search engines. */
export const META_LENGTH = 200;
const MAX_FORMATS = 8;

export const Day = ({ instant }: { instant: string }) => <time dateTime={instant}>{instant.slice(0, 10)}</time>;

/** A time in UTC, to the minute. */
export const Moment = ({ instant }: { instant: string }) => (
  <time dateTime={instant}>{`${instant.slice(0, 10)} ${instant.slice(11, 16)} UTC`}</time>
);

/** `dataset` 1 → `1 dataset`, 2 → `2 datasets`. */
export const counted = (count: number, word: string): string =>
  `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;

/** Families of formats, which share a colour. Formats of no family are neutral. */
const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  table: ['CSV', 'TSV', 'XLS', 'XLSX', 'ODS', 'PARQUET'],
  tree: ['JSON', 'XML', 'RDF', 'JSON-LD', 'TTL', 'YAML'],
  map: ['GEOJSON', 'SHP', 'KML', 'KMZ', 'GPKG', 'WMS', 'WFS', 'GML'],
  text: ['PDF', 'HTML', 'DOC', 'DOCX', 'TXT', 'ODT'],
};
const FAMILY_OF = new Map(Object.entries(FAMILIES).flatMap(([family, formats]) => formats.map((f) => [f, family])));

/** A format with the colour of its family. */
export const Format = ({ format }: { format: string }) => (
  <span class={`format ${FAMILY_OF.get(format.toUpperCase()) ?? ''}`}>{format}</span>
);

export function DatasetCard({ match: { node, highlights } }: { match: CardFragment }) {
  const formats = [...new Set(node.resources.map(({ format }) => format.toUpperCase()).filter(Boolean))];
  const marked = (field: string) => highlights.find((one) => one.field === field)?.pieces;
  const other = highlights.find(({ field }) => field !== 'title');
  return (
    <li class="card">
      <h3>
        <a href={`/dataset/${encodeURIComponent(node.name)}`}>
          {/* a long title is cut in its highlights */}
          {node.title.length <= EXCERPT && marked('title') ? <Pieces pieces={marked('title')!} /> : node.title}
        </a>{' '}
        {node.private && (
          <span class="badge">
            <Icon name="lock" /> Private
          </span>
        )}
        {node.state !== 'active' && <span class="badge">{node.state}</span>}
      </h3>
      {other ? (
        <p>
          {other.field !== 'notes' && <span class="hint">{other.field}: </span>}
          <Pieces pieces={other.pieces} />
        </p>
      ) : (
        node.notes && <p>{excerpt(node.notes)}</p>
      )}
      <p class="meta">
        {formats.slice(0, MAX_FORMATS).map((format) => (
          <Format key={format} format={format} />
        ))}
        {formats.length > MAX_FORMATS && <span class="hint">+{formats.length - MAX_FORMATS}</span>}
        {node.organization && (
          <span>
            <Icon name="organization" /> {node.organization.title || node.organization.name}
          </span>
        )}
        <span>
          <Icon name="clock" /> Updated <Day instant={node.modifiedAt} />
        </span>
        <span>
          <Icon name="file" /> {counted(node.resources.length, 'resource')}
        </span>
      </p>
    </li>
  );
}

const Pieces = ({ pieces }: { pieces: CardFragment['highlights'][number]['pieces'] }) => (
  <>{pieces.map(({ text, isMatch }) => (isMatch ? <mark key={text}>{text}</mark> : text))}</>
);

interface GroupCardProps {
  readonly group: GroupCardFragment;
  readonly kind: IconName & ('organization' | 'group');
}

export const GroupCard = ({ group, kind }: GroupCardProps) => (
  <li class="card">
    {/^https?:/.test(group.imageDisplayUrl) ? (
      <img class="thumb" src={group.imageDisplayUrl} alt="" loading="lazy" />
    ) : (
      <Icon name={kind} />
    )}
    <h3>
      <a href={`/${kind}/${encodeURIComponent(group.name)}`}>{group.displayName}</a>
    </h3>
    {group.description && <p>{excerpt(group.description, 120)}</p>}
    <p class="meta">{counted(group.datasetCount, 'dataset')}</p>
  </li>
);

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
