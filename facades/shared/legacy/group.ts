/** Groups in versions 1 and 2 of the API: datasets as names or ids, extras as an object. */
import type { CreateGroupInput, LegacyGroupFragment, UpdateGroupInput } from '../../../src/generated/operations.ts';
import { compareText } from '../../../src/kernel/text.ts';
import { groupDatasets, groupFields } from '../../../src/records/form/group.ts';
import { groupDict } from '../../../src/records/form/group-dict.ts';
import { asText, type Raw } from '../../../src/records/form/readers.ts';
import { type LegacyVersion, named } from './dataset.ts';
import { dictionaryOf, pairsOf, withoutNulls } from './pairs.ts';

/** Names or ids of datasets, sorted by name. */
export const datasetRefs = (
  datasets: readonly { readonly id: string; readonly name: string }[],
  version: LegacyVersion,
): string[] =>
  [...datasets].sort((a, b) => compareText(a.name, b.name)).map(({ id, name }) => (version === 1 ? name : id));

/** The group dictionary, with its first 1,000 datasets. */
export function legacyGroup(answered: LegacyGroupFragment, version: LegacyVersion): Record<string, unknown> {
  const { datasets, ...group } = answered as LegacyGroupFragment & {
    datasets?: { nodes: { id: string; name: string }[] };
  };
  return {
    ...groupDict(group, true),
    extras: dictionaryOf(group.extras),
    packages: datasetRefs(datasets?.nodes ?? [], version),
  };
}

/** Input fields of a new group. Omits extras that are null. @throws CatalogError VALIDATION */
export function newGroup(raw: Raw): CreateGroupInput {
  const extras = pairsOf(raw)?.flatMap(({ key, value }) => (value === null ? [] : [{ key, value }]));
  return {
    ...fields(raw),
    name: raw.name == null ? '' : asText(raw.name),
    ...(raw.id != null && { databaseId: asText(raw.id) }),
    ...(raw.type != null && { type: asText(raw.type) }),
    ...(extras && { extras }),
  };
}

/** Changes of a group: omitted fields stay unchanged, an extra with null is removed. @throws CatalogError VALIDATION */
export function groupChanges(raw: Raw): Omit<UpdateGroupInput, 'group'> {
  const setExtras = pairsOf(raw);
  return { ...fields(raw), ...(setExtras && { setExtras }) };
}

function fields(raw: Raw) {
  const { extras: _extras, packages, groups, ...own } = withoutNulls(raw);
  const dictionary: Raw = { ...own, ...(groups !== undefined && { groups: named(groups, 'name') }) };
  const datasets = packages === undefined ? undefined : groupDatasets({ packages: named(packages, 'id') });
  return { ...groupFields(dictionary), ...(datasets && { datasets }) };
}
