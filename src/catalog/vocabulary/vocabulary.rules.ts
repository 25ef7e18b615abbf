/** Validation of vocabulary names. Pure. */
import { lengthOf } from '../../kernel/text.ts';

const NAME = { min: 2, max: 100 } as const;

/**
 * Problems of a vocabulary's name: 2 to 100 characters (code points), any of them. `takenBy` is the id of the
 * vocabulary that uses the name, `self` the id of the one being named.
 */
export function checkVocabularyName(name: string, takenBy: string | null, self: string | null): string[] {
  const length = lengthOf(name, NAME.max);
  if (length < NAME.min) return [`Name must be at least ${NAME.min} characters long`];
  if (length > NAME.max) return [`Name must be a maximum of ${NAME.max} characters long`];
  return takenBy !== null && takenBy !== self ? ['That vocabulary name is already in use.'] : [];
}
