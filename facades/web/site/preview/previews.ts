/** Selects the preview of a view, or of a resource without views. */
import { h } from 'preact';
import { first } from '../search-query.ts';
import { STATUS } from '../visit.ts';
import type { At, Previewer } from './at.ts';
import { previewChart } from './chart.ts';
import { elsewhere, previewMedia, previewText } from './files.ts';
import { mapColumns, previewMap } from './map.ts';
import { type MediaKind, NoPreview } from './media.tsx';
import { SaveView } from './save.tsx';
import { savedQuery } from './saved.ts';
import { previewSql } from './sql.ts';
import { previewTable } from './table.ts';
import { conditionParams, readTableState, urlOf } from './table-state.ts';
import { Ways } from './ways.tsx';

/** Previews by kind of view. The kinds are named as in CKAN and its extensions. */
const BY_TYPE: Readonly<Record<string, Previewer>> = {
  recline_view: explore,
  recline_grid_view: needsTable(previewTable),
  recline_map_view: previewMap,
  recline_graph_view: needsTable(previewChart),
  datatables_view: needsTable(previewTable),
  geojson_view: previewMap,
  geo_view: previewMap,
  text_view: readable,
  image_view: previewMedia('image'),
  pdf_view: previewMedia('pdf'),
  audio_view: previewMedia('audio'),
  video_view: previewMedia('video'),
  webpage_view: previewMedia('page'),
};

/** Formats of files that have a preview without a view. */
const FORMATS: Readonly<Record<MediaKind | 'text', RegExp>> = {
  text: /^(txt|text|plain|json|geojson|jsonld|json-ld|xml|rdf|ttl|yaml|yml|md|atom|rss|log)$/,
  image: /^(png|jpe?g|gif|webp|avif)$/,
  pdf: /^pdf$/,
  audio: /^(wav|ogg|mp3|flac|m4a)$/,
  video: /^(mp4|ogv|webm)$/,
  page: /^(html?|xhtml)$/,
};

/** Shows a view, or what suits the resource best. */
export function previewOf(at: At): ReturnType<Previewer> {
  const { view, refusal } = at;
  if (refusal) return none(at, textsOf(at)('preview.noTableNow'), STATUS[refusal.kind]);
  if (view === null) return at.resource.table ? explore(at) : byFormat(at);
  const previewer = Object.hasOwn(BY_TYPE, view.viewType) ? BY_TYPE[view.viewType] : undefined;
  return previewer ? previewer(at) : none(at, textsOf(at)('preview.unknownKind', { kind: view.viewType }));
}

const textsOf = ({ visit }: At) => visit.frame.texts.t;

const none = async (at: At, text: string, status = 200) => ({
  content: h(NoPreview, { url: at.resource.url, text }),
  status,
});

function byFormat(at: At): ReturnType<Previewer> {
  const format = at.resource.format.toLowerCase();
  const [kind] = Object.entries(FORMATS).find(([, formats]) => formats.test(format)) ?? [];
  if (kind === undefined) return none(at, textsOf(at)('preview.none'));
  return kind === 'text' ? readable(at) : previewMedia(kind as MediaKind)(at);
}

/** Ways to look at data, by the parameter `as`. */
const WAYS = { table: previewTable, chart: previewChart, map: previewMap, sql: previewSql, text: previewText } as const;
type Way = keyof typeof WAYS;

/** A table with all ways to look at it. */
async function explore(at: At): ReturnType<Previewer> {
  if (!at.resource.table) return at.resource.file ? none(at, textsOf(at)('preview.noTable')) : elsewhere(at);
  return look(at, mapColumns(at) ? ['table', 'chart', 'map', 'sql'] : ['table', 'chart', 'sql'], 'table');
}

/** A text. Places are on a map, too; the map comes first unless the URL names the view of the text. */
async function readable(at: At): ReturnType<Previewer> {
  const isMap = at.resource.file !== null && at.resource.format.toLowerCase() === 'geojson';
  return isMap ? look(at, ['map', 'text'], at.isChosen ? 'text' : 'map') : previewText(at);
}

/** Data in the way of the URL, with links to the other ways. */
async function look(at: At, ways: readonly Way[], usual: Way): ReturnType<Previewer> {
  const requested = first(at.query.as);
  const as = ways.find((way) => way === requested) ?? usual;
  const conditions = conditionParams(readTableState(at.query).conditions);
  const links = ways.map((way) => ({
    label: textsOf(at)('preview.way', { way }),
    href: urlOf(at.path, [['as', way], ...conditions]),
    isCurrent: way === as,
  }));
  const isPlain = as === usual && !isSaved(at);
  const shown = await WAYS[as]({ ...at, base: isPlain ? [] : [['as', as]] });
  const maySave = at.hasQuery && at.resource.table && !at.isEmbedded && at.resource.dataset?.viewerCanUpdate;
  const save = maySave && h(SaveView, { at, saving: at.saving });
  return { ...shown, content: h(Ways, { ways: links, save, children: shown.content }) };
}

/** Whether the view has saved parameters, which a URL without parameters stands for. */
const isSaved = (at: At): boolean => Object.keys(savedQuery(at.view)).length > 0;

function needsTable(previewer: Previewer): Previewer {
  return (at) => (at.resource.table ? previewer(at) : none(at, textsOf(at)('preview.notTable')));
}
