/** Parses records of an import file and prepares them for the write actions. Pure. */
import { TABLE_ONLY } from '../catalog/document/project.ts';
import { isObject } from '../kernel/json.ts';
import type { Dictionary } from './gateway.ts';
import type { Kind } from './kinds.ts';

/** Parses a line. @throws Error with the reason when it is not a JSON object */
export function parseRecord(line: string): Dictionary {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch (thrown) {
    throw new Error(`not JSON: ${(thrown as Error).message}`);
  }
  if (!isObject(record)) throw new Error('not an object');
  return record;
}

/** Lists of a dataset; a missing one counts as empty. */
const LISTS = {
  resources: [],
  tags: [],
  extras: [],
  groups: [],
  relationships_as_subject: [],
  relationships_as_object: [],
};

/**
 * The record as input of its action; a dataset's record is the whole dataset. Removes `packages` of organizations and groups, because
 * datasets name their groups. Uses the display URL of an image when no other is given.
 */
export function writable(kind: Kind, record: Dictionary): Dictionary {
  if (kind === 'dataset') return { ...LISTS, ...record };
  const { packages: _packages, ...rest } = record;
  const image = record.image_url ?? record.image_display_url;
  return image === undefined ? rest : { ...rest, image_url: image };
}

/** Whether a record says that a resource has a table in a DataStore. */
export const hasTable = ({ url_type, datastore_active: active }: Dictionary): boolean =>
  /^true$/i.test(String(active)) || (url_type === 'datastore' && !/^false$/i.test(String(active)));

/** Adds a URL to resources with a table, because later versions omit it. The local URL is that of the table. */
export function withTableAddresses(record: Dictionary, stored: Dictionary | null): Dictionary {
  if (!Array.isArray(record.resources)) return record;
  const before = Array.isArray(stored?.resources) ? stored.resources.filter(isObject) : [];
  const resources = record.resources.map((resource: unknown) => {
    if (!isObject(resource) || !isEmpty(resource.url) || !hasTable(resource)) return resource;
    const same = before.find(({ id, url_type }) => id === resource.id && url_type === 'datastore');
    return { ...resource, url: same?.url ?? TABLE_ONLY, url_type: 'datastore' };
  });
  return { ...record, resources };
}

const isEmpty = (url: unknown): boolean =>
  url === undefined || url === null || (typeof url === 'string' && !url.trim());

/** Title of a record in messages. */
export const titleOf = (record: Dictionary): string => String(record.name ?? record.id ?? '(no name)');
