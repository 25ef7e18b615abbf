/** Syntax tree of a query in the Lucene syntax. Columns count characters from 1. */
import { CatalogError } from '../../kernel/errors.ts';

/** A piece of a pattern: literal text, `?` (one character) or `*` (any number, including none). */
export type Piece = { readonly text: string } | { readonly any: 'one' | 'many' };

export type Value =
  | { readonly kind: 'term'; readonly text: string /** Maximum edit distance. */; readonly fuzzy?: number }
  | {
      readonly kind: 'phrase';
      readonly text: string /** Maximum total positions that words may be moved. */;
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

/** Maximum characters of one query. */
const MAX_CHARACTERS = 20_000;
/** Maximum terms, phrases and ranges of one query. */
export const MAX_CLAUSES = 500;
/** Maximum nesting of brackets. */
export const MAX_DEPTH = 30;

/** A syntax error in a query. The column counts from 1. */
export class SyntaxFault extends Error {
  readonly column: number;
  constructor(message: string, column: number) {
    super(message);
    this.column = column;
  }
}

/** @throws SyntaxFault for a text of more than `max` characters */
export function checkLength(text: string, max = MAX_CHARACTERS): void {
  if (text.length > max) throw new SyntaxFault(`longer than ${max} characters`, max + 1);
}

/** Error for a query. `parameter` is its field of the input. */
export function searchFault(parameter: string, message: string, column?: number): CatalogError {
  const text = `${message}${column === undefined ? '' : ` (column ${column})`}`;
  return new CatalogError('SEARCH', `${parameter}: ${text}`, [{ path: [parameter], message: text }]);
}

/** Runs the parser of a parameter and converts its syntax errors. */
export function reading<T>(parameter: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof SyntaxFault) throw searchFault(parameter, thrown.message, thrown.column);
    throw thrown;
  }
}

export const ALL: Node = { kind: 'all', boost: 1 };

/** A clause and whether it is required, optional or excluded. */
export interface Item {
  readonly node: Node;
  occur: 'must' | 'should' | 'not';
  /** Has a `+` or `-` prefix, which AND and OR do not change. */
  readonly marked: boolean;
}

/** The operator between two clauses. */
export type Conjunction = 'AND' | 'OR' | null;

/**
 * Adds a clause, as Lucene's classic parser does. AND makes both sides required, OR makes them optional. Without an operator, the
 * default applies.
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
