/** Bounds of the table preview. */

/** Characters of a cell. */
export const MAX_CELL = 120;
/** Characters of a value on the page of its record. */
const MAX_VALUE = 100_000;
/** Characters of all values on that page. */
const MAX_RECORD = 1_000_000;
export const maxValue = (columns: number): number => Math.min(MAX_VALUE, Math.floor(MAX_RECORD / Math.max(columns, 1)));
/** Rows of the result of a statement. */
export const MAX_ROWS = 100;
/** Columns that are shown first. */
export const COLUMNS = 20;
/** Cells of a page. Wide tables have fewer rows. */
export const CELLS = 600;
export const ROWS = { min: 10, max: 50 } as const;
