/** A chart: one operation of the public graph, and how its answer becomes rows. Everything else follows from this. */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { PlainKey, Texts } from '../texts.ts';
import { type FilterName, type Filters, type SearchParts, searchAddress } from './filters.ts';
import type { Interval } from './periods.ts';

export type DashboardId = 'catalog' | 'quality' | 'usage' | 'operations';

/** Kinds of values. Files have them as they are; pages format them in their language. `code`: only in files. */
export type Kind = 'text' | 'code' | 'number' | 'bytes' | 'percent' | 'milliseconds' | 'moment' | 'period';

export interface Column {
  /** Name in files. */
  readonly key: string;
  readonly label: string;
  readonly kind: Kind;
}

/** Instants are ISO texts. Null: no value. */
export type Cell = string | number | null;

export interface Row {
  readonly cells: readonly Cell[];
  /** The page with what the row counts, or where it is mended. */
  readonly href?: string;
}

/** Rows of a chart. The first visible column names them. */
export interface Numbers {
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** How many further rows there are. */
  readonly more?: number;
  /** The value of a full bar, such as 100 percent. Default: the largest one. */
  readonly full?: number;
}

/** How rows are drawn. `tiles`: one row, each column a figure. */
export type Shape = 'tiles' | 'bars' | 'columns' | 'lines' | 'table';

/** The reader's page, as far as charts depend on it. */
export interface At {
  readonly filters: Filters;
  /** The organization of the filters, as operations take it: by name in the process, by id for clients. Null for all. */
  readonly organization: string | null;
  /** Its id in the public graph. Null for all, and if it is unknown. */
  readonly organizationId: string | null;
  readonly texts: Texts;
  readonly isSignedIn: boolean;
  readonly isSysadmin: boolean;
  readonly now: Date;
  /** Maximum length of a list (catalog.limits.rows). */
  readonly rows: number;
  /** The search page with the datasets that a number counts. */
  readonly search: (parts: SearchParts) => string;
}

export interface Chart<Data = unknown, Variables = unknown> {
  /** Part of the addresses of its files. */
  readonly id: string;
  readonly dashboard: DashboardId;
  readonly title: PlainKey;
  /** A sentence that says what is counted. */
  readonly text?: PlainKey;
  readonly shape: Shape;
  /** Keys of the columns that are drawn. Default: all numbers. */
  readonly draws?: readonly string[];
  /** Whether the chart needs the whole width. */
  readonly isWide?: boolean;
  /** Whether only system administrators see it. */
  readonly isPrivate?: boolean;
  /** Filters that it follows. With another filter in the address, the page omits the chart, because its numbers would not fit. */
  readonly follows: readonly FilterName[];
  readonly document: TypedDocumentNode<Data, Variables>;
  readonly variables: (at: At) => Variables;
  readonly read: (data: Data, at: At) => Numbers;
}

/** An entry of the list of charts, with the types of its operation. */
export const chart = <Data, Variables>(entry: Chart<Data, Variables>): Chart => entry as unknown as Chart;

export const atOf = (given: Omit<At, 'search' | 'organization'> & { facets: readonly string[] }): At => {
  const { facets, ...at } = given;
  const organization = at.filters.organization || null;
  return { ...at, organization, search: (parts) => searchAddress(at.filters, facets, parts) };
};

/** Whether a chart's numbers fit the filters. */
export const fits = ({ follows }: Chart, { texts }: Filters): boolean =>
  (Object.keys(texts) as FilterName[]).every(
    (name) => texts[name] === '' || follows.includes(name) || name === 'interval',
  );

/** Columns that pages show. */
export const visible = ({ columns }: Numbers): { column: Column; index: number }[] =>
  columns.map((column, index) => ({ column, index })).filter(({ column }) => column.kind !== 'code');

/** The value of a full bar. `index`: its column. */
export const fullBar = ({ rows, full }: Numbers, index: number): number =>
  full ?? Math.max(1, ...rows.map(({ cells }) => Number(cells[index])));

/** Columns that are drawn. */
export const drawn = (entry: Chart, numbers: Numbers): { column: Column; index: number }[] =>
  visible(numbers)
    .slice(1)
    .filter(({ column }) =>
      entry.draws ? entry.draws.includes(column.key) : !['text', 'moment', 'period'].includes(column.kind),
    );

/** A value in the language of the page. */
export function shown(cell: Cell, kind: Kind, texts: Texts, interval: Interval): string {
  if (cell === null || cell === '') return '–';
  if (typeof cell === 'string')
    return kind === 'period' ? periodText(cell, texts, interval) : kind === 'moment' ? texts.moment(cell) : cell;
  if (kind === 'bytes') return texts.bytes(cell);
  if (kind === 'percent') return texts.t('charts.percent', { value: texts.number(Math.round(cell * 10) / 10) });
  if (kind === 'milliseconds') return texts.t('charts.milliseconds', { value: texts.number(cell) });
  return texts.number(cell);
}

function periodText(start: string, { day, month }: Texts, interval: Interval): string {
  if (interval === 'YEAR') return start.slice(0, 4);
  return interval === 'MONTH' ? month(start) : day(start);
}
