/** Patterns of LIKE. */
import { invalidField } from '../../kernel/errors.ts';

/** Maximum characters of a text to look for: PostgreSQL reads the whole pattern for each row. */
const MAX_CHARACTERS = 1_000;

/** A text as part of a LIKE pattern: it matches only itself. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** The same for a text of a caller, in this field of the input. @throws CatalogError VALIDATION for more than 1,000 characters */
export function likeText(text: string, field = 'text'): string {
  if (text.length > MAX_CHARACTERS) throw invalidField(field, `At most ${MAX_CHARACTERS} characters`);
  return escapeLike(text);
}
