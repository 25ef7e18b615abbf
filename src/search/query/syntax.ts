/** The tree of a query in the Lucene syntax, as its author wrote it. Columns count characters from 1. */
import { CatalogError } from '../../kernel/errors.ts';

/** A piece of a pattern: text as it stands, `?` (one character) or `*` (any number, none too). */
export type Piece = { readonly text: string } | { readonly any: 'one' | 'many' };

export type Value =
  | { readonly kind: 'term'; readonly text: string /** Letters that may differ, at most. */; readonly fuzzy?: number }
  | {
      readonly kind: 'phrase';
      readonly text: string /** Places that words may be moved, in all. */;
      readonly slop: number;
    }
  | { readonly kind: 'pattern'; readonly pieces: readonly Piece[] }
  | {
      readonly kind: 'range';
      /** Null is an open end. */
      readonly from: string | null;
      readonly to: string | null;
      readonly includesFrom: boolean;
      readonly includesTo: boolean;
    }
  | { readonly kind: 'exists' };

export type Node =
  | { readonly kind: 'all'; readonly boost: number }
  | {
      readonly kind: 'clause';
      /** Null: the default field. */
      readonly field: string | null;
      readonly value: Value;
      readonly boost: number;
      readonly column: number;
    }
  | {
      readonly kind: 'bool';
      readonly must: readonly Node[];
      readonly should: readonly Node[];
      readonly not: readonly Node[];
      readonly boost: number;
    };

/** Characters of one query at most. */
export const MAX_CHARACTERS = 20_000;
/** Terms, phrases and ranges of one query at most. */
export const MAX_CLAUSES = 500;
/** Brackets in brackets at most. */
export const MAX_DEPTH = 30;

/** A query that cannot be read; the column counts from 1. */
export class SyntaxFault extends Error {
  readonly column: number;
  constructor(message: string, column: number) {
    super(message);
    this.column = column;
  }
}

/** A refusal of a search for its query. `parameter` is what the caller calls it. */
export const searchFault = (parameter: string, message: string, column?: number): CatalogError =>
  new CatalogError('SEARCH', `${parameter}: ${message}${column === undefined ? '' : ` (column ${column})`}`);

/** Runs a reader of a parameter; what it cannot read becomes a refusal. */
export function reading<T>(parameter: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof SyntaxFault) throw searchFault(parameter, thrown.message, thrown.column);
    throw thrown;
  }
}

export const ALL: Node = { kind: 'all', boost: 1 };

/** How a clause stands beside its neighbours. */
export interface Item {
  readonly node: Node;
  occur: 'must' | 'should' | 'not';
  /** `+` or `-` in front: AND and OR leave it as it is. */
  readonly marked: boolean;
}

/** What stands between two clauses. */
export type Conjunction = 'AND' | 'OR' | null;

/**
 * Adds a clause, as Lucene's classic parser does: AND makes both its sides necessary, OR makes them optional,
 * nothing between them is the default.
 */
export function addItem(items: Item[], item: Item, between: Conjunction, otherwise: 'AND' | 'OR'): void {
  const before = items.at(-1);
  if (before && before.occur !== 'not' && !before.marked) {
    if (between === 'AND') before.occur = 'must';
    else if (between === 'OR') before.occur = 'should';
  }
  if (item.occur !== 'not' && !item.marked)
    item.occur = between === 'AND' || (between === null && otherwise === 'AND') ? 'must' : 'should';
  items.push(item);
}

/** The items as one node. */
export function boolOf(items: readonly Item[]): Node {
  if (items.length === 1 && items[0]!.occur !== 'not') return items[0]!.node;
  const of = (occur: Item['occur']) => items.filter((item) => item.occur === occur).map(({ node }) => node);
  return { kind: 'bool', must: of('must'), should: of('should'), not: of('not'), boost: 1 };
}
