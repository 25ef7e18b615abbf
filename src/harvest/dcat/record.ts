/** Converts a DCAT dataset into a record of the Action API. Pure. */
import { licenseList } from '../../catalog/license/license.service.ts';
import { slugOf } from '../../catalog/name/name.rules.ts';
import { checkTagName } from '../../catalog/tag/tag.rules.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { Dictionary } from '../../records/gateway.ts';
import { isReasonable, type SourceItem } from '../reader.ts';
import { isIri, isLiteral, type Term } from './graph.ts';
import { address, type Context, iri, label, text } from './readers.ts';
import { DATASET, DISTRIBUTION, EXTRAS, type Row } from './tables.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const NAME = /^[a-z0-9_-]{2,100}$/;

/** The record to import; null when the dataset has no identifier. */
export function itemOf(dataset: Term, sourceId: string, context: Context): SourceItem | null {
  const id = idOf(dataset, context);
  if (id === null) return null;
  const fields = read(DATASET, dataset, context);
  const extras = Object.entries(read(EXTRAS, dataset, context));
  const keywords = keywordsOf(dataset, context);
  const tags = keywords.filter((keyword) => checkTagName(keyword).length === 0);
  const others = keywords.filter((keyword) => !tags.includes(keyword));
  if (others.length > 0) extras.push(['keywords', others]);
  const resources = resourcesOf(dataset, id, sourceId, context);
  const record = {
    ...fields,
    name: nameOf(dataset, id, fields, context),
    type: 'dataset',
    private: false,
    license_id: licenseOf(dataset, context),
    tags: tags.map((name) => ({ name })),
    extras: extras.map(([key, value]) => ({ key, value: typeof value === 'string' ? value : JSON.stringify(value) })),
    resources,
    organization: publisherOf(dataset, sourceId, context),
  };
  const own = uuidOf(dataset, context) ?? derivedId(sourceId, id);
  return { kind: 'dataset', id, name: id, objectId: own, record };
}

/** Values by field. When several rows map to a field, the first with a value counts. */
function read(rows: readonly Row[], subject: Term, context: Context): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [properties, field, reader] of rows) {
    if (fields[field] !== undefined) continue;
    const found = reader(context.graph.values(subject, ...properties), context);
    if (found !== undefined) fields[field] = found;
  }
  return fields;
}

/** The dataset's IRI, or its identifier property. */
function idOf(dataset: Term, context: Context): string | null {
  const identifier = context.graph.values(dataset, 'dct:identifier')[0]?.value.trim();
  const id = isIri(dataset) ? dataset.value : identifier;
  return id && isReasonable(id) ? id : null;
}

/** The dataset's id in its own catalog, when given. */
function uuidOf(dataset: Term, { graph }: Context): string | null {
  const called = [dataset, ...graph.values(dataset, 'owl:sameAs')].filter(isIri).map(({ value }) => value);
  const urn = called.find((value) => /^urn:uuid:/i.test(value) && UUID.test(value));
  return urn ? UUID.exec(urn)![0].toLowerCase() : null;
}

function nameOf(dataset: Term, id: string, { title }: Record<string, unknown>, { graph }: Context): string {
  const given = graph.values(dataset, 'dct:identifier').find(({ value }) => NAME.test(value));
  if (given) return given.value;
  const made = [String(title ?? ''), lastPiece(id)].map((said) => slugOf(said, 'TITLE'));
  return made.find(isSpeaking) ?? `dataset-${derivedId(id).slice(0, 8)}`;
}

/** Whether enough of a title remains in ASCII. Titles in other scripts may lose everything. */
const isSpeaking = (name: string): boolean => /[a-z0-9].*[a-z0-9]/.test(name);

/** Checks only the end of a very long id, because the match starts at every character. */
const lastPiece = (id: string): string => /([^/#?]+)[/#?]*$/.exec(id.slice(-500))?.[1] ?? '';

/** Unique keywords. A text with commas contains several. */
function keywordsOf(dataset: Term, { graph }: Context): string[] {
  const said = graph.values(dataset, 'dcat:keyword').filter(isLiteral);
  const single = said
    .flatMap(({ value }) => value.split(/[,;\n]/))
    .map((keyword) => keyword.trim().replace(/\s+/g, ' '));
  return [...new Set(single.filter(Boolean))];
}

/** Distributions with a URL. Ids derive from the distribution's IRI or position, so that they are stable. */
function resourcesOf(dataset: Term, id: string, sourceId: string, context: Context): Dictionary[] {
  return context.graph.values(dataset, 'dcat:distribution').flatMap((distribution, index) => {
    const { access_url, download_url, ...fields } = read(DISTRIBUTION, distribution, context);
    const both = access_url !== undefined && download_url !== undefined && access_url !== download_url;
    const url = fields.url ?? address([distribution], context);
    if (url === undefined) return [];
    const called = isIri(distribution) ? distribution.value : `${index}`;
    const own = UUID.exec(called)?.[0].toLowerCase();
    return { id: own ?? derivedId(sourceId, id, called), ...fields, url, ...(both && { access_url, download_url }) };
  });
}

/** The dataset's own license, or the one all its distributions share. */
function licenseOf(dataset: Term, context: Context): string | null {
  const { graph } = context;
  const own = graph.values(dataset, 'dct:license');
  const theirs = graph.values(dataset, 'dcat:distribution').flatMap((one) => graph.values(one, 'dct:license'));
  const common = new Set(theirs.map(({ value }) => value)).size === 1 ? theirs.slice(0, 1) : [];
  const said = [own, common, graph.values(dataset, 'dct:rights')].find((values) => values.length > 0) ?? [];
  const called = [iri(said, context), label(said, context)].filter((name): name is string => typeof name === 'string');
  const known = licenseList().find(({ id, title, url }) =>
    called.some((name) => name === id || name === title || (url !== '' && plain(name) === plain(url))),
  );
  return known?.id ?? called[0] ?? null;
}

/** Normalized URL for comparison. */
const plain = (address: string): string =>
  address
    .toLowerCase()
    .replace(/^https?:\/\/(www\.)?/, '')
    .replace(/(?<!\/)\/+$/, '');

/** The publisher, as the owning organization when the source sets no other. */
function publisherOf(dataset: Term, sourceId: string, context: Context): Dictionary | null {
  const [publisher] = context.graph.values(dataset, 'dct:publisher');
  if (!publisher) return null;
  const title = text(context.graph.values(publisher, 'foaf:name'), context) ?? label([publisher], context);
  if (typeof title !== 'string') return null;
  const called = isIri(publisher) ? publisher.value : title;
  const id = derivedId(sourceId, 'publisher', called);
  const slug = slugOf(title, 'TITLE');
  const name = isSpeaking(slug) ? slug : `publisher-${id.slice(0, 8)}`;
  return { id, name, title, is_organization: true, type: 'organization', state: 'active' };
}
