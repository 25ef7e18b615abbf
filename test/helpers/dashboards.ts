/** Reads dashboards: rows of CSV files, tables of the page, answers of the public graph. */
import { expect } from '@jest/globals';
import { parseHTML } from 'linkedom';
import type { TestUser } from './make.ts';
import type { World } from './world.ts';

type Rows = Record<string, string>[];

const headersOf = (as: TestUser | null): Record<string, string> => ({
  accept: 'text/html',
  ...(as && { authorization: as.key }),
});

/** Rows of a CSV text, by the names of its columns. */
export function csvRows(text: string): Rows {
  const lines = text.split('\r\n').slice(0, -1);
  const cells = (line: string) =>
    [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
      .map(([, cell]) => cell!)
      .slice(0, line.endsWith(',') ? undefined : -1)
      .map((cell) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell));
  const names = cells(lines[0]!);
  return lines.slice(1).map((line) => Object.fromEntries(cells(line).map((cell, at) => [names[at]!, cell])));
}

/** Number in a cell of a page in English. */
const numberIn = (text: string): number => Number(text.replaceAll(',', ''));

const minute = () => Math.floor(Date.now() / 60_000);

/** Repeats `read` until it begins and ends in the same minute: charts that end now have other periods in the next minute. */
export async function inOneMinute<T>(read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const before = minute();
    const found = await read();
    if (minute() === before || attempt === 5) return found;
  }
}

/**
 * Rows of the CSV file of each chart of a dashboard. Checks that the tables on the page have the same numbers, and that
 * the operation in the link to GraphiQL runs at `/graphql`. `seen`: charts on the page.
 */
export async function filesOf(world: World, dashboard: string, filters: object, as: TestUser | null) {
  const { tables, ...found } = await inOneMinute(() => readFiles(world, dashboard, filters, as));
  for (const [id, table] of Object.entries(tables)) expect([id, table]).toEqual([id, found.rows[id]!.map(numbersOf)]);
  return found;
}

async function readFiles(world: World, dashboard: string, filters: object, as: TestUser | null) {
  const query = new URLSearchParams(Object.entries(filters) as [string, string][]).toString();
  const path = `/dashboards/${dashboard}${query && `?${query}`}`;
  const page = await world.request(path, { headers: headersOf(as) });
  expect([path, page.status]).toEqual([path, 200]);
  const { document } = parseHTML(page.text);
  const rows: Record<string, Rows> = {};
  const tables: Record<string, number[][]> = {};
  for (const figure of document.querySelectorAll('figure.chart')) {
    const id = figure.id.replace(/^chart-/, '');
    const link = [...figure.querySelectorAll('.uses a')].map((it: any) => it.getAttribute('href') as string);
    const file = await world.request(link.find((href) => href.includes('.csv'))!, { headers: headersOf(as) });
    expect([id, file.status, file.headers.get('content-type')]).toEqual([id, 200, 'text/csv;charset=utf-8']);
    rows[id] = csvRows(file.text);
    tables[id] = tableOf(figure);
    const { searchParams } = new URL(link.find((href) => href.startsWith('/graphiql'))!, 'http://a');
    const variables = JSON.parse(searchParams.get('variables')!);
    const { body } = await world.graph(searchParams.get('query')!, variables, { as });
    expect([id, body.errors]).toEqual([id, undefined]);
  }
  return { rows, tables, seen: Object.keys(tables) };
}

/** Numbers of a file's row; times and texts are not among them. */
const numbersOf = (row: Record<string, string>): number[] =>
  Object.entries(row)
    .filter(
      ([name, cell]) =>
        !['bytes', 'percent', 'average_ms', 'milliseconds', 'memory'].includes(name) && /^\d+(\.\d+)?$/.test(cell),
    ) // pages have units
    .map(([, cell]) => Number(cell));

/** Numbers of each row of a chart's table. */
function tableOf(figure: any): number[][] {
  const tiles = [...figure.querySelectorAll('.tiles dd')].map((it: any) => it.textContent as string);
  if (tiles.length > 0) return [tiles.filter((text) => /^[\d,]+(\.\d+)?$/.test(text)).map(numberIn)];
  return [...figure.querySelectorAll('tbody tr')].map((row: any) =>
    [...row.querySelectorAll('td')].flatMap((cell: any) => {
      const text = cell.textContent.trim() as string;
      return /^[\d,.]+$/.test(text) ? [numberIn(text)] : [];
    }),
  );
}

/** Figures of a page with the search pages to which they lead. */
export async function figuresOf(world: World, path: string, as: TestUser | null) {
  const { text } = await world.request(path, { headers: headersOf(as) });
  const { document } = parseHTML(text);
  const found: { href: string; value: number }[] = [];
  for (const row of document.querySelectorAll('figure.chart tbody tr')) {
    const href = (row as any).querySelector('th a')?.getAttribute('href');
    const value = (row as any).querySelector('td')?.textContent;
    if (href) found.push({ href, value: numberIn(value) });
  }
  return found;
}
