/** Validation of datasets. Pure; reports all problems at once, in the texts that Action API clients know. */
import { CORE_KEYS } from '../../kernel/dataset-fields.ts';
import type { Problem } from '../../kernel/errors.ts';
import { SLUG_LENGTH, slugFaults } from '../../kernel/slug.ts';
import { checkTagName } from '../tag/tag.rules.ts';
import { checkType } from './relationships/relationship.rules.ts';
import type { DatasetDraft } from './write/dataset.draft.ts';
import type { RelationshipInput } from './write/input.ts';
import { isScriptAddress, SCRIPT_REFUSED } from './write/resource.address.ts';

/** Maximum bytes of the key of an extra. PostgreSQL refuses a row of an index with more than 2,704 bytes after compression. */
const KEY_MAX = 2_000;
const ID_MAX = 100;
const ID_TOO_LONG = `Must be at most ${ID_MAX} characters long`;
const NAME = { reserved: new Set(['new', 'edit', 'search']) };

/** Wire names of a dataset's own fields. Extras must not use them. */
const FIELD_NAMES = new Set<string>([
  ...CORE_KEYS,
  'tag_string',
  'log_message',
  'save',
  'return_to',
  'extras_validation',
]);

/** Facts about other objects that a draft can collide with. */
export interface Collisions {
  /** Id of the dataset that uses the draft's name; null if none does. */
  readonly nameOwner: string | null;
  readonly idTaken: boolean;
  /** Resource id → id of its dataset. */
  readonly resourceOwners: ReadonlyMap<string, string>;
}

/** Facts about the owner that the draft does not hold. */
export interface OwnerFacts {
  /** Whether the dataset may have no owner. */
  readonly mayBeNone: boolean;
  /** Whether the input contains an owner. */
  readonly isInInput: boolean;
  /** Whether the owner in the input is already refused. */
  readonly refused: boolean;
}

/** Problems of the whole draft. */
export function checkDataset(draft: DatasetDraft, collisions: Collisions, owner: OwnerFacts): Problem[] {
  const { row } = draft;
  const problems: Problem[] = nameFaults(row.name).map((message) => ({ path: ['name'], message }));
  if (collisions.nameOwner !== null && collisions.nameOwner !== row.id)
    problems.push({ path: ['name'], message: 'That name is already in use by another dataset' });
  if (collisions.idTaken) problems.push({ path: ['databaseId'], message: 'Dataset id already exists' });
  if (isScriptAddress(row.url ?? '')) problems.push({ path: ['url'], message: SCRIPT_REFUSED });
  if ((row.label ?? '').length > 100)
    problems.push({ path: ['label'], message: 'Version must be a maximum of 100 characters long' });
  if (row.ownerOrganizationId === null && !owner.mayBeNone && !owner.refused) {
    problems.push({ path: ['ownerOrganization'], message: 'A organization must be supplied' }); // as recorded
    if (!owner.isInInput) problems.push({ path: ['ownerOrganization'], message: 'Missing value' });
  }
  if (row.private && row.ownerOrganizationId === null && !owner.refused) {
    problems.push({ path: ['private'], message: "Datasets with no organization can't be private." });
  }
  return problems.concat(checkTags(draft), checkExtras(draft), checkResourceIds(draft, collisions));
}

/** As `slugFaults`; a wrong length is reported twice, as recorded. */
function nameFaults(name: string): string[] {
  const faults = slugFaults(name, NAME);
  const quoted = name.slice(0, 200);
  if (name !== '' && name.length < SLUG_LENGTH.min)
    faults.push(`Name "${name}" length is less than minimum ${SLUG_LENGTH.min}`);
  if (name.length > SLUG_LENGTH.max) faults.push(`Name "${quoted}" length is more than maximum ${SLUG_LENGTH.max}`);
  return faults;
}

/** The problem of an id that is chosen for a new dataset. */
export const checkNewId = (id: string): Problem[] =>
  id.length > ID_MAX ? [{ path: ['databaseId'], message: ID_TOO_LONG }] : [];

/** Ids never change: an id in the input must be the dataset's own. The text is the one that legacy API clients know. */
export const checkSameId = (id: string, requestedId: string | null | undefined): Problem[] =>
  requestedId == null || requestedId === id
    ? []
    : [
        {
          path: ['databaseId'],
          message: `Cannot change value of key from ${id} to ${requestedId}. This key is read-only`,
        },
      ];

const checkTags = ({ tags }: DatasetDraft): Problem[] =>
  (tags ?? []).flatMap((tag, index) => checkTagName(tag.name).map((message) => ({ path: ['tags', index], message })));

function checkExtras({ extras }: DatasetDraft): Problem[] {
  const seen = new Set<string>();
  const problems: Problem[] = [];
  for (const [index, { key, value }] of (extras ?? []).entries()) {
    if (key === '') problems.push({ path: ['extras', index, 'key'], message: 'Missing value' });
    else if (FIELD_NAMES.has(key))
      problems.push({ path: ['extras', index, 'key'], message: 'There is a schema field with the same name' });
    if (Buffer.byteLength(key) > KEY_MAX)
      problems.push({ path: ['extras', index, 'key'], message: `Must be at most ${KEY_MAX} bytes long (UTF-8)` });
    if (value === undefined) problems.push({ path: ['extras', index, 'value'], message: 'Missing value' });
    if (key !== '' && seen.has(key)) problems.push({ path: ['extrasValidation'], message: `Duplicate key "${key}"` });
    seen.add(key);
  }
  return problems;
}

/** Ruling 19: a resource id of another dataset is refused. */
function checkResourceIds({ row, resources }: DatasetDraft, { resourceOwners }: Collisions): Problem[] {
  const seen = new Set<string>();
  return resources.flatMap(({ id }, index): Problem[] => {
    const owner = resourceOwners.get(id);
    const message =
      owner !== undefined && owner !== row.id
        ? 'Resource id already exists'
        : seen.has(id)
          ? 'Resource id occurs twice'
          : id.length > ID_MAX
            ? ID_TOO_LONG
            : null;
    seen.add(id);
    return message ? [{ path: ['resources', index, 'id'], message }] : [];
  });
}

/** Problems of relationships, under `field`. */
export const checkRelationships = (field: string, inputs: readonly RelationshipInput[]): Problem[] =>
  inputs.flatMap(({ type }, index) => {
    const message = checkType(type);
    return message === null ? [] : [{ path: [field, index, 'type'], message }];
  });
