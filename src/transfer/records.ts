/** What a line of an import file is: a dataset, an organization or a group, as the Action API gives them. Pure. */
import type { Kind } from './kinds.ts';
import type { Dictionary } from './perform.ts';

/** Reads a line. @throws Error with the reason when it is no JSON object */
export function parseRecord(line: string): Dictionary {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch (thrown) {
    throw new Error(`not JSON: ${(thrown as Error).message}`);
  }
  if (!isDictionary(record)) throw new Error('not an object');
  return record;
}

/** Kind of a record: `is_organization` tells groups from organizations, and datasets have no such key. */
export function kindOf(record: Dictionary): Kind {
  if (typeof record.is_organization === 'boolean') return record.is_organization ? 'organization' : 'group';
  if (Array.isArray(record.resources)) return 'dataset';
  return record.type === 'organization' || record.type === 'group' ? record.type : 'dataset';
}

/** Lists of a dataset: one that a record leaves out is empty. */
const LISTS = {
  resources: [],
  tags: [],
  extras: [],
  groups: [],
  relationships_as_subject: [],
  relationships_as_object: [],
};

/**
 * The record as its action takes it: a dataset is the whole dataset. Of organizations and groups, `packages` is left out:
 * datasets name their groups themselves. Where only the address that browsers use is given, it is the image's.
 */
export function writable(kind: Kind, record: Dictionary): Dictionary {
  if (kind === 'dataset') return { ...LISTS, ...record };
  const { packages: _packages, ...rest } = record;
  const image = record.image_url ?? record.image_display_url;
  return image === undefined ? rest : { ...rest, image_url: image };
}

/** What messages call a record. */
export const titleOf = (record: Dictionary): string => String(record.name ?? record.id ?? '(no name)');

export const isDictionary = (value: unknown): value is Dictionary =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
