/** Converts group and organization dictionaries to the graph's inputs. Checks forms and names; the service checks values. */
import type {
  GroupDatasetInput,
  GroupExtraInput,
  GroupParentInput,
  GroupUserInput,
  UpdateOrganizationInput,
} from '../../generated/operations.ts';
import { invalid, type Problem } from '../../kernel/errors.ts';
import { asFlag, asText, dictionaries, type Raw } from './readers.ts';

type Fields = Omit<UpdateOrganizationInput, 'organization' | 'expectedVersion'> & {
  type?: string | null;
  datasets?: GroupDatasetInput[] | null;
};

const TEXTS = {
  name: 'name',
  title: 'title',
  description: 'description',
  state: 'state',
  approval_status: 'approvalStatus',
  log_message: 'message',
} as const;

/** A group dictionary as input fields, without id, type and datasets. @throws CatalogError VALIDATION for all unreadable values */
export function groupFields(dictionary: Raw): Omit<Fields, 'type' | 'datasets'> {
  const problems: Problem[] = [];
  const fields: Record<string, unknown> = {};
  for (const [wire, name] of Object.entries(TEXTS)) {
    if (Object.hasOwn(dictionary, wire)) fields[name] = dictionary[wire] === null ? null : asText(dictionary[wire]);
  }
  const { image_url: image } = dictionary;
  if (image !== undefined) fields.imageUrl = image === null ? null : asText(image);
  fields.extras = items(dictionary, 'extras', problems)
    ?.filter((item) => !asFlag(item.deleted))
    .map(
      (item, index): GroupExtraInput => ({
        key: needed(item, 'key', ['extras', index], problems),
        value: given(item, 'value', ['extras', index], problems),
      }),
    );
  fields.users = items(dictionary, 'users', problems)?.map(
    (item, index): GroupUserInput => ({
      user: needed(item, 'name', ['users', index], problems),
      capacity: capacity(item),
    }),
  );
  fields.parents = items(dictionary, 'groups', problems)?.map(
    (item, index): GroupParentInput => ({
      parent: item.id ? asText(item.id) : needed(item, 'name', ['groups', index], problems),
      capacity: capacity(item),
    }),
  );
  if (problems.length > 0) throw invalid(problems);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The datasets of a group dictionary; undefined when omitted. @throws CatalogError VALIDATION */
export function groupDatasets(dictionary: Raw): GroupDatasetInput[] | undefined {
  const problems: Problem[] = [];
  const datasets = items(dictionary, 'packages', problems)?.map((item, index) => ({
    id: needed(item, 'id', ['packages', index], problems),
  }));
  if (problems.length > 0) throw invalid(problems);
  return datasets;
}

/** As `dictionaries`; null is an empty list. */
const items = (dictionary: Raw, key: string, problems: Problem[]): Raw[] | undefined =>
  dictionary[key] === null ? [] : dictionaries(dictionary, key, problems);

const capacity = (item: Raw): string | undefined => (item.capacity == null ? undefined : asText(item.capacity));

/** A required text that is not empty. */
const needed = (item: Raw, key: string, at: Problem['path'], problems: Problem[]): string =>
  given(item[key] === '' ? {} : item, key, at, problems);

/** A required text. */
function given(item: Raw, key: string, at: Problem['path'], problems: Problem[]): string {
  if (item[key] !== undefined && item[key] !== null) return asText(item[key]);
  problems.push({ path: [...at, key], message: 'Missing value' });
  return '';
}
