/** The rule by which uses are summed: windows, words of searches, and limits. docs/usage.md publishes it. Pure. */
import { DAY } from '../kernel/time.ts';

/** Milliseconds after a counted use in which the same caller does not count again for the same object. */
export const REPEAT = 30_000;

/** The start of the next day, in ms. */
export const nextDay = (ms: number): number => (Math.floor(ms / DAY) + 1) * DAY;

/** Maximum characters of stored words of a search. */
const MAX_WORDS = 100;
/** E-mail addresses and telephone numbers, which may be those of a person. */
const PERSONAL = /@|\p{Nd}(?:[^\p{L}\p{Nd}]{0,3}\p{Nd}){6}/u;

/** Words of a search in the form in which they are stored: in lower case, with single spaces. Null if they are not stored. */
export function storedWords(words: string): string | null {
  if (words.length > 4 * MAX_WORDS) return null;
  const normalized = words.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
  if (
    normalized === '' ||
    normalized === '*:*' ||
    normalized.length > MAX_WORDS ||
    normalized.includes('\0') ||
    !normalized.isWellFormed()
  )
    return null;
  return PERSONAL.test(normalized.normalize('NFKC')) ? null : normalized; // NFKC: also full-width signs
}
