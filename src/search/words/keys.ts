/** Normalizes words and values equally for the index and for queries. */

/** Maximum characters of a value. */
const MAX_VALUE_LENGTH = 400;
const MAX_FIELD_LENGTH = 100;

/** A value, truncated to the maximum that the index stores. */
export const valueKey = (value: string): string =>
  value.length <= MAX_VALUE_LENGTH ? value : value.slice(0, MAX_VALUE_LENGTH).toWellFormed();

/** A word of one field. */
export const fieldWord = (field: string, word: string): string =>
  `${field.slice(0, MAX_FIELD_LENGTH).toWellFormed()}\u0001${word}`;
