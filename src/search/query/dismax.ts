/**
 * Parses text as users type it (Solr's dismax): words, "phrases", `+` and `-`, AND, OR and NOT. All other characters are literal. Only an
 * operator without operands is an error.
 */
import {
  addItem,
  boolOf,
  type Conjunction,
  checkLength,
  type Item,
  MAX_CLAUSES,
  type Node,
  SyntaxFault,
} from './syntax.ts';

const PIECE = /([+-]?)(?:"([^"]*)"|(\S+))/g;

/** The tree. Clauses are optional by default. @throws SyntaxFault */
export function parseDismax(text: string): Node {
  checkLength(text);
  const items: Item[] = [];
  let between: Conjunction = null;
  let negated = false;
  let operator: { word: string; column: number } | null = null;
  for (const { 1: sign, 2: phrase, 3: word, index } of balanced(text).matchAll(PIECE)) {
    const column = index + 1;
    if (!sign && (word === 'AND' || word === 'OR')) {
      if (items.length === 0) throw new SyntaxFault(`a term is expected before ${word}`, column);
      if (operator) throw new SyntaxFault(`a term is expected after ${operator.word}`, column);
      between = word;
      operator = { word, column };
    } else if (!sign && word === 'NOT') {
      negated = true;
      operator = { word, column };
    } else {
      if (items.length >= MAX_CLAUSES) throw new SyntaxFault(`more than ${MAX_CLAUSES} clauses`, column);
      const value =
        phrase === undefined
          ? { kind: 'term' as const, text: word! }
          : { kind: 'phrase' as const, text: phrase, slop: 0 };
      const occur = negated || sign === '-' ? 'not' : sign === '+' ? 'must' : 'should';
      const node: Node = { kind: 'clause', field: null, value, boost: 1, column };
      addItem(items, { node, occur, marked: occur !== 'should' }, between, 'OR');
      between = null;
      negated = false;
      operator = null;
    }
  }
  if (operator)
    throw new SyntaxFault(`a term is expected after ${operator.word}`, operator.column + operator.word.length);
  return boolOf(items);
}

/** Removes quotation marks when one is unbalanced. */
const balanced = (text: string): string =>
  (text.match(/"/g)?.length ?? 0) % 2 === 0 ? text : text.replaceAll('"', ' ');
