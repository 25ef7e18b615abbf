/**
 * Text in the Lucene / Solr syntax → tree, by recursive descent in one pass: terms, phrases with slop, fields, groups of
 * a field, patterns, fuzzy terms, ranges, boosts, `+ - !`, AND OR NOT `&& ||`, escapes. Local parameters, `_query_`,
 * `_val_` and regular expressions are refused by name.
 */
import {
  ALL,
  addItem,
  boolOf,
  type Conjunction,
  DEEPEST,
  type Item,
  MOST_CHARACTERS,
  MOST_CLAUSES,
  type Node,
  type Piece,
  SyntaxFault,
  type Value,
} from './syntax.ts';

/** What ends a word unless it is escaped. */
const ENDS = new Set([' ', '\t', '\n', '\r', '\u3000', '(', ')', '[', ']', '{', '}', '"', '^', '~', ':']);
const SPACE = new Set([' ', '\t', '\n', '\r', '\u3000']);
const WORD_OPERATORS: Readonly<Record<string, 'AND' | 'OR' | 'NOT'>> = { AND: 'AND', OR: 'OR', NOT: 'NOT' };

/** Letters that a fuzzy term may differ in without a number, and at most. */
const USUAL_FUZZ = 2;
const MOST_SLOP = 50;

/** The tree of a query; an empty one is everything. @throws SyntaxFault */
export function parseLucene(text: string, otherwise: 'AND' | 'OR' = 'AND'): Node {
  if (text.length > MOST_CHARACTERS)
    throw new SyntaxFault(`longer than ${MOST_CHARACTERS} characters`, MOST_CHARACTERS + 1);
  return new Parser(text, otherwise).query();
}

class Parser {
  readonly #text: string;
  readonly #otherwise: 'AND' | 'OR';
  #at = 0;
  #depth = 0;
  #clauses = 0;

  constructor(text: string, otherwise: 'AND' | 'OR') {
    this.#text = text;
    this.#otherwise = otherwise;
  }

  query(): Node {
    this.#skip();
    if (this.#text.startsWith('{!', this.#at)) this.#fail('local parameters {!…} are not supported');
    return this.#list(null, false);
  }

  /** Clauses until the end or, inside brackets, the closing one. */
  #list(field: string | null, inside: boolean): Node {
    const items: Item[] = [];
    for (;;) {
      this.#skip();
      if (this.#at >= this.#text.length || (inside && this.#is(')'))) break;
      if (this.#is(')')) this.#fail('a bracket is closed that was not opened');
      const between = this.#conjunction(items.length === 0);
      addItem(items, this.#item(field, between), between, this.#otherwise);
    }
    if (items.length > 0) return boolOf(items);
    if (inside) this.#fail('the brackets are empty');
    return ALL;
  }

  /** AND or OR between two clauses. */
  #conjunction(first: boolean): Conjunction {
    const from = this.#at;
    const word = this.#text.startsWith('&&', from) ? '&&' : this.#text.startsWith('||', from) ? '||' : this.#operator();
    if (word === null || word === 'NOT') return null;
    if (first) this.#fail(`a term is expected before ${word}`);
    this.#at += word.length;
    this.#skip();
    if (this.#at >= this.#text.length || this.#is(')')) this.#fail(`a term is expected after ${word}`);
    if (this.#operator() === 'AND' || this.#operator() === 'OR') this.#fail(`a term is expected after ${word}`);
    return word === 'AND' || word === '&&' ? 'AND' : 'OR';
  }

  #item(field: string | null, between: Conjunction): Item {
    this.#skip();
    const sign = this.#text[this.#at];
    let occur: Item['occur'] = 'should';
    let marked = false;
    if (sign === '+' || sign === '-' || sign === '!') {
      this.#at += 1;
      occur = sign === '+' ? 'must' : 'not';
      marked = true;
    } else if (this.#operator() === 'NOT') {
      this.#at += 3;
      occur = 'not';
      marked = true;
    }
    this.#skip();
    if (this.#at >= this.#text.length) this.#fail(`a term is expected after ${sign ?? between ?? 'the operator'}`);
    return { node: this.#clause(field), occur, marked };
  }

  /** One clause with its boost. */
  #clause(field: string | null): Node {
    this.#skip();
    const from = this.#at;
    if (++this.#clauses > MOST_CLAUSES) this.#fail(`more than ${MOST_CLAUSES} clauses`);
    const character = this.#text[from];
    if (character === '(') return this.#group(field);
    if (character === '"' || character === '[' || character === '{') return this.#boosted(field, this.#value(), from);
    const named = this.#fieldName();
    if (named === null) return this.#boosted(field, this.#value(), from);
    if (field !== null) this.#fail('a field stands inside a field');
    if (named === '*' && this.#is('*') && this.#endsAt(this.#at + 1)) {
      this.#at += 1;
      return { ...ALL, boost: this.#boost() };
    }
    if (named === '_query_' || named === '_val_') this.#fail(`${named} is not supported`, from);
    if (this.#at >= this.#text.length || SPACE.has(this.#text[this.#at]!))
      this.#fail('a value is expected after the field');
    if (this.#is('(')) return this.#group(named);
    const at = this.#at;
    return this.#boosted(named, this.#value(), at);
  }

  #group(field: string | null): Node {
    const from = this.#at;
    if (++this.#depth > DEEPEST) this.#fail(`more than ${DEEPEST} brackets in each other`);
    this.#at += 1;
    const node = this.#list(field, true);
    if (!this.#is(')')) this.#fail('the bracket is not closed', from);
    this.#at += 1;
    this.#depth -= 1;
    return { ...node, boost: node.boost * this.#boost() };
  }

  #boosted(field: string | null, value: Value, from: number): Node {
    if (value.kind === 'exists' && field === null) return { ...ALL, boost: this.#boost() };
    return { kind: 'clause', field, value, boost: this.#boost(), column: from + 1 };
  }

  #value(): Value {
    const from = this.#at;
    const character = this.#text[from];
    if (character === '"') return this.#phrase();
    if (character === '[' || character === '{') return this.#range();
    if (character === '/' && /^\/[^/\s][^\s]*\/(?=[\s)^]|$)/.test(this.#text.slice(from, from + 200)))
      this.#fail('regular expressions are not supported');
    const pieces = this.#word();
    if (pieces.length === 0) this.#fail(`unexpected ${character ?? 'end'}`);
    if (pieces.length === 1 && 'any' in pieces[0]! && pieces[0].any === 'many') return { kind: 'exists' };
    if (pieces.some((piece) => 'any' in piece)) return { kind: 'pattern', pieces };
    const text = (pieces[0] as { text: string }).text;
    const fuzzy = this.#fuzz();
    return fuzzy === null ? { kind: 'term', text } : { kind: 'term', text, fuzzy };
  }

  /** The name before a colon, or null (and nothing read) where there is none. */
  #fieldName(): string | null {
    const from = this.#at;
    const pieces = this.#word(true);
    if (this.#is(':')) {
      if (this.#at === from) this.#fail('a field is expected before the colon');
      this.#at += 1;
      return pieces.map((piece) => ('text' in piece ? piece.text : piece.any === 'one' ? '?' : '*')).join('');
    }
    this.#at = from;
    return null;
  }

  /** A word up to what ends it, unescaped; patterns apart. */
  #word(isField = false): Piece[] {
    const pieces: Piece[] = [];
    let text = '';
    const push = () => {
      if (text !== '') pieces.push({ text });
      text = '';
    };
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at]!;
      if (ENDS.has(character)) break;
      if (character === '\\') {
        if (this.#at + 1 >= this.#text.length) this.#fail('nothing follows the backslash');
        text += this.#text[this.#at + 1];
        this.#at += 2;
        continue;
      }
      if (character === '*' || character === '?') {
        push();
        pieces.push({ any: character === '*' ? 'many' : 'one' });
      } else text += character;
      this.#at += 1;
    }
    push();
    if (!isField && this.#is(':')) this.#fail('a field stands inside a field');
    return pieces;
  }

  #phrase(): Value {
    const from = this.#at;
    let text = '';
    for (this.#at += 1; ; this.#at += 1) {
      if (this.#at >= this.#text.length) this.#fail('the quotation mark is not closed', from);
      const character = this.#text[this.#at]!;
      if (character === '"') break;
      if (character === '\\' && this.#at + 1 < this.#text.length) this.#at += 1;
      text += this.#text[this.#at];
    }
    this.#at += 1;
    let slop = 0;
    if (this.#is('~')) {
      this.#at += 1;
      const given = this.#number();
      if (given === null || !Number.isInteger(given)) this.#fail('a whole number is expected after ~');
      if (given > MOST_SLOP) this.#fail(`a slop of more than ${MOST_SLOP}`);
      slop = given;
    }
    return { kind: 'phrase', text, slop };
  }

  #range(): Value {
    const from = this.#at;
    const includesFrom = this.#is('[');
    this.#at += 1;
    const low = this.#bound(from);
    this.#skip();
    if (!/^TO(?=[\s"])/.test(this.#text.slice(this.#at, this.#at + 3))) this.#fail('TO is expected in the range');
    this.#at += 2;
    const high = this.#bound(from);
    this.#skip();
    if (!this.#is(']') && !this.#is('}')) this.#fail('the range is not closed', from);
    const includesTo = this.#is(']');
    this.#at += 1;
    return { kind: 'range', from: low, to: high, includesFrom, includesTo };
  }

  /** One end of a range; null for `*`. */
  #bound(range: number): string | null {
    this.#skip();
    if (this.#is('"')) {
      const { text } = this.#phrase() as { text: string };
      return text;
    }
    let text = '';
    const from = this.#at;
    while (this.#at < this.#text.length) {
      const character = this.#text[this.#at]!;
      if (SPACE.has(character) || character === ']' || character === '}') break;
      if (character === '\\' && this.#at + 1 < this.#text.length) this.#at += 1;
      text += this.#text[this.#at];
      this.#at += 1;
    }
    if (this.#at === from)
      this.#fail(this.#at >= this.#text.length ? 'the range is not closed' : 'an end of the range is missing', range);
    return this.#text.slice(from, this.#at) === '*' ? null : text;
  }

  /** Letters after `~`, or null without one. A part of one, as old queries have it, is a similarity. */
  #fuzz(): number | null {
    if (!this.#is('~')) return null;
    this.#at += 1;
    const given = this.#number();
    if (given === null) return USUAL_FUZZ;
    if (given > 0 && given < 1) return USUAL_FUZZ;
    if (given > USUAL_FUZZ || !Number.isInteger(given)) this.#fail(`at most ${USUAL_FUZZ} letters may differ`);
    return given;
  }

  /** The product of the boosts that follow. */
  #boost(): number {
    let boost = 1;
    while (this.#is('^')) {
      this.#at += 1;
      if (this.#is('=')) this.#fail('constant scores ^= are not supported');
      const given = this.#number();
      if (given === null) this.#fail('a number is expected after ^');
      if (given > 1_000_000) this.#fail('a boost of more than 1,000,000');
      boost *= given;
    }
    return Math.min(boost, 1_000_000);
  }

  #number(): number | null {
    const [found] = /^(\d+(\.\d*)?|\.\d+)/.exec(this.#text.slice(this.#at, this.#at + 20)) ?? [];
    if (found === undefined) return null;
    this.#at += found.length;
    return Number(found);
  }

  /** AND, OR or NOT as a word of its own, without reading it. */
  #operator(): 'AND' | 'OR' | 'NOT' | null {
    const [word] = /^(AND|OR|NOT)(?=[\s\u3000("+\-![{]|$)/.exec(this.#text.slice(this.#at, this.#at + 4)) ?? [];
    return word === undefined ? null : WORD_OPERATORS[word]!;
  }

  #skip(): void {
    while (SPACE.has(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  #is(character: string): boolean {
    return this.#text[this.#at] === character;
  }

  #endsAt(at: number): boolean {
    return at >= this.#text.length || ENDS.has(this.#text[at]!);
  }

  #fail(message: string, at = this.#at): never {
    throw new SyntaxFault(message, at + 1);
  }
}
