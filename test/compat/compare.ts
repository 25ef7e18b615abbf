/** Compares imported datasets with their sources, field by field. */

type Dictionary = Readonly<Record<string, unknown>>;

/** Fields that the server owns, with the reason. All other fields must be equal. */
export const OWNED: Readonly<Record<string, string>> = {
  revision_id: 'every write makes a revision of its own',
  'resources.revision_id': 'every write makes a revision of its own',
  metadata_created: 'the time at which this catalog got it',
  metadata_modified: 'the time at which this catalog got it',
  creator_user_id: 'who brought it here',
  'organization.created': 'the time at which this catalog got it',
  'organization.revision_id': 'every write makes a revision of its own',
  license_title: "the title in this catalog's list of licenses, for the same license_id",
  license_url: "the address in this catalog's list of licenses, for the same license_id",
  'tags.id': 'a free tag has one id per catalog',
};

/** Keys that this catalog adds to records without them. */
export const ADDED: Readonly<Record<string, string>> = {
  'resources.datastore_active': 'whether the data is in the DataStore of this catalog',
  'resources.webstore_url': 'a field of the contract that newer catalogs leave out; null',
  'resources.webstore_last_updated': 'a field of the contract that newer catalogs leave out; null',
  'resources.created': 'the time of arrival, for resources without one',
};

export interface Comparison {
  datasets: number;
  resources: number;
  /** Number of equal scalars. */
  fields: number;
  /** `dataset name: path: source → result`. */
  differences: string[];
}

/** Compares by name. A dataset missing on either side is a difference. */
export function compareDatasets(went: readonly Dictionary[], came: readonly Dictionary[]): Comparison {
  const result: Comparison = { datasets: 0, resources: 0, fields: 0, differences: [] };
  const found = new Map(came.map((dataset) => [dataset.name, dataset]));
  for (const dataset of went) {
    const name = String(dataset.name);
    const other = found.get(name);
    found.delete(name);
    if (!other) {
      result.differences.push(`${name}: did not come out`);
      continue;
    }
    result.datasets += 1;
    result.resources += (other.resources as unknown[]).length;
    compareValue(
      '',
      dataset,
      other,
      (path, a, b) => result.differences.push(`${name}: ${path}: ${text(a)} → ${text(b)}`),
      result,
    );
  }
  for (const name of found.keys()) result.differences.push(`${String(name)}: did not go in`);
  return result;
}

type Tell = (path: string, went: unknown, came: unknown) => void;

/** Paths omit list positions, as in `resources.url`. */
function compareValue(path: string, went: unknown, came: unknown, tell: Tell, count: { fields: number }): void {
  if (Array.isArray(went) && Array.isArray(came)) {
    const [left, right] = [sorted(path, went), sorted(path, came)];
    if (went.length !== came.length) tell(`${path}.length`, went.length, came.length);
    else for (const [index, item] of left.entries()) compareValue(path, item, right[index], tell, count);
  } else if (isDictionary(went) && isDictionary(came)) {
    for (const key of new Set([...Object.keys(went), ...Object.keys(came)])) {
      const at = path ? `${path}.${key}` : key;
      if (at in OWNED || (at in ADDED && !(key in went))) continue;
      if (!(key in went) || !(key in came)) tell(at, went[key], came[key]);
      else compareValue(at, went[key], came[key], tell, count);
    }
  } else if (went === came) count.fields += 1;
  else tell(path, went, came);
}

/** Sorts groups, whose order is the catalog's. The order of resources is part of the data. */
function sorted(path: string, items: readonly unknown[]): readonly unknown[] {
  return path === 'groups'
    ? [...items].sort((a, b) => ((a as Dictionary).id! < (b as Dictionary).id! ? -1 : 1))
    : items;
}

const isDictionary = (value: unknown): value is Dictionary =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (JSON.stringify(value) ?? '(absent)').slice(0, 200);
