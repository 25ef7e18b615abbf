/** Formats of files that are read. Pure. */
const TABLE_FORMATS = ['csv', 'tsv', 'xlsx', 'json', 'ndjson', 'parquet'] as const;
/** What a table is read from. */
export type TableFormat = (typeof TABLE_FORMATS)[number];
/** An archive stands for the one file in it. */
export type Format = TableFormat | 'zip';
export const FORMATS: readonly Format[] = [...TABLE_FORMATS, 'zip'];

/** How to read a file of this name; null where its ending does not tell. */
export const formatOfName = (name: string): TableFormat | null =>
  TABLE_FORMATS.find((it) => it === endingOf(name)) ?? null;

export const endingOf = (name: string): string | undefined => /\.([a-z]+)(?:[?#]|$)/i.exec(name)?.[1]?.toLowerCase();
