/** Validation of tag names. Pure. */
import { lengthOf } from '../../kernel/text.ts';

const TAG_NAME = { min: 2, max: 100 } as const;

/** All characters except letters, marks and digits of any script and the symbols of the message below. */
const NOT_ALLOWED = /[^\p{L}\p{M}\p{N}_ .-]/u;

/** All problems of a tag's name: 2 to 100 characters (code points), letters and digits of any script, space, `-_.`. */
export function checkTagName(name: string): string[] {
  const length = lengthOf(name, TAG_NAME.max);
  const problems: string[] = [];
  if (length < TAG_NAME.min) problems.push(`Tag "${name}" length is less than minimum ${TAG_NAME.min}`);
  if (length > TAG_NAME.max) problems.push(`Tag "${name}" length is more than maximum ${TAG_NAME.max}`);
  if (NOT_ALLOWED.test(name)) problems.push(`Tag "${name}" must be alphanumeric characters or symbols: -_.`);
  return problems;
}
