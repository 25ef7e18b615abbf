/** File formats that the loader can read. Pure. */
const TABLE_FORMATS = ['csv', 'tsv', 'xlsx', 'json', 'ndjson', 'parquet'] as const;
/** Formats that contain a table. */
export type TableFormat = (typeof TABLE_FORMATS)[number];
/** An archive must contain one file of a table format. */
export type Format = TableFormat | 'zip';
export const FORMATS: readonly Format[] = [...TABLE_FORMATS, 'zip'];

/** Format by the file name's extension; null when unknown. */
export const formatOfName = (name: string): TableFormat | null =>
  TABLE_FORMATS.find((it) => it === endingOf(name)) ?? null;

export const endingOf = (name: string): string | undefined => /\.([a-z]+)(?:[?#]|$)/i.exec(name)?.[1]?.toLowerCase();
