/**
 * Recursive-descent parser for the Lucene / Solr syntax: terms, phrases with slop, fields, field groups, patterns, fuzzy terms, ranges,
 * boosts, `+ - !`, AND OR NOT `&& ||`, escapes. Refuses local parameters, `_query_`, `_val_` and regular expressions by name.
 */
import { QueryText } from './lucene.text.ts';
import {
  ALL,
  addItem,
  boolOf,
  type Conjunction,
  checkLength,
  type Item,
  MAX_CLAUSES,
  MAX_DEPTH,
  type Node,
  type Value,
} from './syntax.ts';

/** The tree of a query. An empty query matches everything. @throws SyntaxFault */
export function parseLucene(text: string, otherwise: 'AND' | 'OR' = 'AND'): Node {
  checkLength(text);
  return new Parser(text, otherwise).query();
}

class Parser {
  readonly #in: QueryText;
  readonly #otherwise: 'AND' | 'OR';
  #depth = 0;
  #clauses = 0;

  constructor(text: string, otherwise: 'AND' | 'OR') {
    this.#in = new QueryText(text);
    this.#otherwise = otherwise;
  }

  query(): Node {
    this.#in.skip();
    if (this.#in.text.startsWith('{!', this.#in.at)) this.#in.fail('local parameters {!…} are not supported');
    return this.#list(null, false);
  }

  /** Clauses until the end of the text or the closing bracket. */
  #list(field: string | null, inside: boolean): Node {
    const items: Item[] = [];
    for (;;) {
      this.#in.skip();
      if (this.#in.isOver || (inside && this.#in.is(')'))) break;
      if (this.#in.is(')')) this.#in.fail('unexpected )');
      const between = this.#conjunction(items.length === 0);
      addItem(items, this.#item(field, between), between, this.#otherwise);
    }
    if (items.length > 0) return boolOf(items);
    if (inside) this.#in.fail('the brackets are empty');
    return ALL;
  }

  /** AND or OR between two clauses. */
  #conjunction(first: boolean): Conjunction {
    const from = this.#in.at;
    const word = this.#in.text.startsWith('&&', from)
      ? '&&'
      : this.#in.text.startsWith('||', from)
        ? '||'
        : this.#in.operator();
    if (word === null || word === 'NOT') return null;
    if (first) this.#in.fail(`a term is expected before ${word}`);
    this.#in.at += word.length;
    this.#in.skip();
    if (this.#in.isOver || this.#in.is(')')) this.#in.fail(`a term is expected after ${word}`);
    if (this.#in.operator() === 'AND' || this.#in.operator() === 'OR')
      this.#in.fail(`a term is expected after ${word}`);
    return word === 'AND' || word === '&&' ? 'AND' : 'OR';
  }

  #item(field: string | null, between: Conjunction): Item {
    this.#in.skip();
    const sign = this.#in.text[this.#in.at];
    let occur: Item['occur'] = 'should';
    let marked = false;
    if (sign === '+' || sign === '-' || sign === '!') {
      this.#in.at += 1;
      occur = sign === '+' ? 'must' : 'not';
      marked = true;
    } else if (this.#in.operator() === 'NOT') {
      this.#in.at += 3;
      occur = 'not';
      marked = true;
    }
    this.#in.skip();
    if (this.#in.isOver) this.#in.fail(`a term is expected after ${sign ?? between ?? 'the operator'}`);
    return { node: this.#clause(field), occur, marked };
  }

  /** One clause with its boost. */
  #clause(field: string | null): Node {
    this.#in.skip();
    const from = this.#in.at;
    if (++this.#clauses > MAX_CLAUSES) this.#in.fail(`more than ${MAX_CLAUSES} clauses`);
    const character = this.#in.text[from];
    if (character === '(') return this.#group(field);
    if (character === '"' || character === '[' || character === '{')
      return this.#boosted(field, this.#in.value(), from);
    const named = this.#in.fieldName();
    if (named === null) return this.#boosted(field, this.#in.value(), from);
    if (field !== null) this.#in.fail('a field is not allowed inside the value of another field');
    if (named === '*' && this.#in.is('*') && this.#in.endsAt(this.#in.at + 1)) {
      this.#in.at += 1;
      return { ...ALL, boost: this.#in.boost() };
    }
    if (named === '_query_' || named === '_val_') this.#in.fail(`${named} is not supported`, from);
    if (this.#in.isOver || this.#in.isSpace()) this.#in.fail('a value is expected after the field');
    if (this.#in.is('(')) return this.#group(named);
    const at = this.#in.at;
    return this.#boosted(named, this.#in.value(), at);
  }

  #group(field: string | null): Node {
    const from = this.#in.at;
    if (++this.#depth > MAX_DEPTH) this.#in.fail(`more than ${MAX_DEPTH} nested brackets`);
    this.#in.at += 1;
    const node = this.#list(field, true);
    if (!this.#in.is(')')) this.#in.fail('the bracket is not closed', from);
    this.#in.at += 1;
    this.#depth -= 1;
    return { ...node, boost: node.boost * this.#in.boost() };
  }

  #boosted(field: string | null, value: Value, from: number): Node {
    if (value.kind === 'exists' && field === null) return { ...ALL, boost: this.#in.boost() };
    return { kind: 'clause', field, value, boost: this.#in.boost(), column: from + 1 };
  }
}
