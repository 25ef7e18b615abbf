/** Output of commands: aligned columns, or JSON. */

type Cell = string | number | boolean | null | undefined;
export type Row = Readonly<Record<string, Cell>>;

/** Prints rows as JSON, or as columns with a heading. Without rows, `none` goes to standard error. */
export function printRows(rows: readonly Row[], isJson: boolean | undefined, none: string): void {
  if (isJson) console.log(JSON.stringify(rows, null, 2));
  else if (rows.length === 0) console.error(none);
  else printColumns(rows);
}

function printColumns(rows: readonly Row[]): void {
  const names = Object.keys(rows[0]!);
  const lines = [names, ...rows.map((row) => names.map((name) => textOf(row[name])))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    );
}

/** Prints one object as JSON, or as lines `name: value`. */
export function printObject(object: Row, isJson: boolean | undefined): void {
  if (isJson) console.log(JSON.stringify(object, null, 2));
  else for (const [name, value] of Object.entries(object)) console.log(`${name}: ${textOf(value)}`);
}

/** One line without control characters: callers choose names, and terminals obey control characters. */
export const textOf = (value: Cell): string =>
  value === null || value === undefined || value === ''
    ? '-'
    : // biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed
      String(value).replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
