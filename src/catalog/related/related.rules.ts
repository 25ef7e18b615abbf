/** Validation of related items. Pure; uses the texts that Action API clients know. */
import type { Problem } from '../../kernel/errors.ts';
import { lengthOf } from '../../kernel/text.ts';

const ID_MAX = 100;

/** Undefined means omitted, null means empty. */
export interface RelatedFields {
  readonly title?: string | null;
  readonly type?: string | null;
  readonly url?: string | null;
  readonly imageUrl?: string | null;
}

/** All problems of the fields in the input. */
export function checkRelated(fields: RelatedFields): Problem[] {
  const problems: Problem[] = [];
  for (const field of ['title', 'type'] as const)
    if (fields[field] !== undefined && !fields[field]) problems.push({ path: [field], message: 'Missing value' });
  for (const field of ['url', 'imageUrl'] as const)
    if (fields[field] && !isAddress(fields[field]))
      problems.push({ path: [field], message: 'Please provide a valid URL' });
  return problems;
}

/** Problems of an id that a client chose. */
export function checkRelatedId(id: string, taken: boolean): Problem[] {
  if (id === '') return [{ path: ['databaseId'], message: 'Missing value' }];
  if (lengthOf(id, ID_MAX) > ID_MAX)
    return [{ path: ['databaseId'], message: `Must be at most ${ID_MAX} characters long` }];
  return taken ? [{ path: ['databaseId'], message: 'That id is already in use.' }] : [];
}

export const checkRelatedDataset = (found: boolean): Problem[] =>
  found ? [] : [{ path: ['datasetId'], message: 'Not found: Dataset' }];

/** True for addresses that a browser can open from a page, without a user name, which could deceive readers. */
function isAddress(text: string): boolean {
  if (!/^https?:\/\/[^\s"<>\\]+$/i.test(text) || !URL.canParse(text)) return false;
  const { username, password, hostname } = new URL(text);
  return hostname !== '' && username === '' && password === '';
}
