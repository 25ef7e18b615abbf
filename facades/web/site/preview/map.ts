/** Reads the places of a map: from columns of a table, or from a GeoJSON file. */
import { h } from 'preact';
import { PagePreviewRecordsDocument } from '../../../../src/generated/operations.ts';
import { pathOfSite } from '../../../shared/slash.ts';
import { type At, attempt, fieldsOf, type Shown } from './at.ts';
import { type Columns, columnsOfView, type Features, featuresOf, findColumns, readGeoJson } from './features.ts';
import { elsewhere, readText } from './files.ts';
import { MAP_FILES } from './map-files.ts';
import { MapPreview } from './map-preview.tsx';
import { conditionOf, recordsOf, viewConditions } from './table.ts';
import { conditionParams, readTableState, urlOf } from './table-state.ts';

/** Places of a map, and those that its page lists. */
const MAX_PLACES = 1_000;
const LISTED = 50;
/** Columns of a record that a map shows. */
const COLUMNS = 8;
const MAX_GEOMETRY = 20_000;
const MAX_FILE = 4 * 1024 * 1024;
/** Bytes of all places that the script gets. */
const MAX_ANSWER = 2 * 1024 * 1024;

/** Columns with the places of a view, or of the table. */
export const mapColumns = ({ resource: { table }, view }: Pick<At, 'resource' | 'view'>): Columns | null =>
  table ? (columnsOfView(fieldsOf(view), table) ?? findColumns(table)) : null;

/** The first places. Null if there are none to look for. @throws CatalogError */
export async function readFeatures(at: At, max = MAX_PLACES): Promise<Features | null> {
  const columns = mapColumns(at);
  if (columns) return fromTable(at, columns, Math.min(max, at.rows));
  const file = await readText(at, MAX_FILE);
  if (!file) return null;
  return file.isComplete ? readGeoJson(file.text, max) : { places: [], isCut: false, omitted: 0, isTooLarge: true };
}

async function fromTable(at: At, columns: Columns, max: number): Promise<Features> {
  const { visit, resource, view } = at;
  const own = columns.kind === 'pair' ? [columns.latitude, columns.longitude] : [columns.column];
  const others = resource.table!.fields.map(({ id }) => id).filter((id) => !own.includes(id) && id !== '_id');
  const { conditions, q } = readTableState(at.query);
  const limit = Math.max(Number(fieldsOf(view).limit ?? max), 1);
  const variables = {
    id: resource.databaseId,
    filter: [...viewConditions(fieldsOf(view)), ...conditions].map(conditionOf),
    q: q || null,
    fields: ['_id', ...own, ...others.slice(0, COLUMNS)],
    maxLength: MAX_GEOMETRY,
    first: Math.min(limit, max),
    withTotal: false,
  };
  const { table } = await visit.run(PagePreviewRecordsDocument, variables, visit.call);
  const { nodes, pageInfo } = table.records;
  return { ...featuresOf(recordsOf(nodes), columns), isCut: pageInfo.hasNextPage };
}

/** Places as a GeoJSON text, for the script. `isCut` if there are more places, or their text is too long. */
export function toGeoJson({ places, isCut }: Features, recordPath: string, maxBytes = MAX_ANSWER): string {
  const features: string[] = [];
  let bytes = 0;
  for (const { geometry, properties, record } of places) {
    const href = record === null ? undefined : recordPath + record; // after the properties, which can have its name
    const feature = JSON.stringify({ type: 'Feature', geometry, properties: { ...properties, ':href': href } });
    bytes += Buffer.byteLength(feature);
    if (bytes > maxBytes) break;
    features.push(feature);
  }
  const isPart = isCut || features.length < places.length;
  return `{"type":"FeatureCollection","isCut":${isPart},"features":[${features.join(',')}]}`;
}

/** A map, and a list of its places, which needs no script. */
export async function previewMap(at: At): Promise<Shown> {
  if (!at.resource.table && !at.resource.file) return elsewhere(at);
  const { data, fault, status } = await attempt(() => readFeatures(at, LISTED));
  const { siteUrl } = at.visit.frame;
  const root = pathOfSite(siteUrl);
  const { tiles, attribution } = at.maps;
  const state = readTableState(at.query);
  const path = `${at.view ? `${at.resourcePath}/view/${encodeURIComponent(at.view.databaseId)}` : at.resourcePath}/places`;
  // `as` distinguishes a map without conditions from one with those that are saved with the view.
  const words = state.q ? [['q', state.q] as const] : [];
  const places = root + urlOf(path, [['as', 'map'], ...words, ...conditionParams(state.conditions)]);
  const conditions = [...viewConditions(fieldsOf(at.view)), ...state.conditions];
  const script = { ...MAP_FILES, worker: root + MAP_FILES.worker, places, tiles, attribution };
  const hosts = tiles === null ? '' : ` ${new URL(tiles.replaceAll(/[{}]/g, '')).origin}`;
  return {
    content: h(MapPreview, { at, places: data, fault, script, conditions, q: state.q, maxFile: MAX_FILE }),
    status,
    isPart: at.hasQuery,
    sources: {
      'script-src': "'self'",
      'worker-src': "'self'",
      'connect-src': `'self'${hosts}`,
      'img-src': `'self' data: blob:${hosts}`,
    },
  };
}
