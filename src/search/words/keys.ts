/** Words and values as they are stored, and as they are asked for. */

/** Characters of a value at most. */
const LONGEST_VALUE = 400;
const LONGEST_FIELD = 100;

/** A value, cut to what an index holds. */
export const valueKey = (value: string): string =>
  value.length <= LONGEST_VALUE ? value : value.slice(0, LONGEST_VALUE).toWellFormed();

/** A word of one field. */
export const fieldWord = (field: string, word: string): string =>
  `${field.slice(0, LONGEST_FIELD).toWellFormed()}\u0001${word}`;
