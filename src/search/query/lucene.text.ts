/**
 * Tokenizer for Lucene queries: field names, values (terms, patterns, phrases, ranges), boosts, operators, escapes. lucene.ts builds the
 * tree.
 */
import { type Piece, SyntaxFault, type Value } from './syntax.ts';

/** Characters that end a word unless escaped. */
const ENDS = new Set([' ', '\t', '\n', '\r', '\u3000', '(', ')', '[', ']', '{', '}', '"', '^', '~', ':']);
const SPACE = new Set([' ', '\t', '\n', '\r', '\u3000']);
const WORD_OPERATORS: Readonly<Record<string, 'AND' | 'OR' | 'NOT'>> = { AND: 'AND', OR: 'OR', NOT: 'NOT' };

/** Default and maximum edit distance of a fuzzy term. */
const USUAL_FUZZ = 2;
const MAX_SLOP = 50;

/** One pass over a text. Methods that read advance `at`, and throw SyntaxFault with the column on an error. */
export class QueryText {
  readonly text: string;
  /** Index of the next character. */
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get isOver(): boolean {
    return this.at >= this.text.length;
  }

  /** The name before a colon; null, without reading, when there is none. */
  fieldName(): string | null {
    const from = this.at;
    const pieces = this.#word(true);
    if (this.is(':')) {
      if (this.at === from) this.fail('a field is expected before the colon');
      this.at += 1;
      return pieces.map((piece) => ('text' in piece ? piece.text : piece.any === 'one' ? '?' : '*')).join('');
    }
    this.at = from;
    return null;
  }

  /** Reads a word, a pattern, a phrase or a range. */
  value(): Value {
    const from = this.at;
    const character = this.text[from];
    if (character === '"') return this.#phrase();
    if (character === '[' || character === '{') return this.#range();
    if (character === '/' && /^\/[^/\s][^\s]*\/(?=[\s)^]|$)/.test(this.text.slice(from, from + 200)))
      this.fail('regular expressions are not supported');
    const pieces = this.#word();
    if (pieces.length === 0) this.fail(`unexpected ${character ?? 'end'}`);
    if (pieces.length === 1 && 'any' in pieces[0]! && pieces[0].any === 'many') return { kind: 'exists' };
    if (pieces.some((piece) => 'any' in piece)) return { kind: 'pattern', pieces };
    const text = (pieces[0] as { text: string }).text;
    const fuzzy = this.#fuzz();
    return fuzzy === null ? { kind: 'term', text } : { kind: 'term', text, fuzzy };
  }

  /** Reads a word up to its end, unescaped; wildcards become separate pieces. */
  #word(isField = false): Piece[] {
    const pieces: Piece[] = [];
    let text = '';
    const push = () => {
      if (text !== '') pieces.push({ text });
      text = '';
    };
    while (!this.isOver) {
      const character = this.text[this.at]!;
      if (ENDS.has(character)) break;
      if (character === '\\') {
        if (this.at + 1 >= this.text.length) this.fail('nothing follows the backslash');
        text += this.text[this.at + 1];
        this.at += 2;
        continue;
      }
      if (character === '*' || character === '?') {
        push();
        pieces.push({ any: character === '*' ? 'many' : 'one' });
      } else text += character;
      this.at += 1;
    }
    push();
    if (!isField && this.is(':')) this.fail('a field is not allowed inside the value of another field');
    return pieces;
  }

  #phrase(): Value {
    const from = this.at;
    let text = '';
    for (this.at += 1; ; this.at += 1) {
      if (this.isOver) this.fail('the quotation mark is not closed', from);
      const character = this.text[this.at]!;
      if (character === '"') break;
      if (character === '\\' && this.at + 1 < this.text.length) this.at += 1;
      text += this.text[this.at];
    }
    this.at += 1;
    let slop = 0;
    if (this.is('~')) {
      this.at += 1;
      const given = this.#number();
      if (given === null || !Number.isInteger(given)) this.fail('an integer is expected after ~');
      if (given > MAX_SLOP) this.fail(`a slop of more than ${MAX_SLOP}`);
      slop = given;
    }
    return { kind: 'phrase', text, slop };
  }

  #range(): Value {
    const from = this.at;
    const includesFrom = this.is('[');
    this.at += 1;
    const low = this.#bound(from);
    this.skip();
    if (!/^TO(?=[\s"])/.test(this.text.slice(this.at, this.at + 3))) this.fail('TO is expected in the range');
    this.at += 2;
    const high = this.#bound(from);
    this.skip();
    if (!this.is(']') && !this.is('}')) this.fail('the range is not closed', from);
    const includesTo = this.is(']');
    this.at += 1;
    return { kind: 'range', from: low, to: high, includesFrom, includesTo };
  }

  /** One end of a range; null for `*`. */
  #bound(range: number): string | null {
    this.skip();
    if (this.is('"')) {
      const { text } = this.#phrase() as { text: string };
      return text;
    }
    let text = '';
    const from = this.at;
    while (!this.isOver) {
      const character = this.text[this.at]!;
      if (SPACE.has(character) || character === ']' || character === '}') break;
      if (character === '\\' && this.at + 1 < this.text.length) this.at += 1;
      text += this.text[this.at];
      this.at += 1;
    }
    if (this.at === from) this.fail(this.isOver ? 'the range is not closed' : 'an end of the range is missing', range);
    return this.text.slice(from, this.at) === '*' ? null : text;
  }

  /** Edit distance after `~`; null without one. A fraction, as in old queries, is a similarity. */
  #fuzz(): number | null {
    if (!this.is('~')) return null;
    this.at += 1;
    const given = this.#number();
    if (given === null) return USUAL_FUZZ;
    if (given > 0 && given < 1) return USUAL_FUZZ;
    if (given > USUAL_FUZZ || !Number.isInteger(given))
      this.fail(`the number after ~ must be 0, 1 or ${USUAL_FUZZ} (got ${given})`);
    return given;
  }

  /** Product of the boosts that follow. */
  boost(): number {
    let boost = 1;
    while (this.is('^')) {
      this.at += 1;
      if (this.is('=')) this.fail('constant scores ^= are not supported');
      const given = this.#number();
      if (given === null) this.fail('a number is expected after ^');
      if (given > 1_000_000) this.fail('a boost of more than 1,000,000');
      boost *= given;
    }
    return Math.min(boost, 1_000_000);
  }

  #number(): number | null {
    const [found] = /^(\d+(\.\d*)?|\.\d+)/.exec(this.text.slice(this.at, this.at + 20)) ?? [];
    if (found === undefined) return null;
    this.at += found.length;
    return Number(found);
  }

  /** AND, OR or NOT as a separate word, without reading it. */
  operator(): 'AND' | 'OR' | 'NOT' | null {
    const [word] = /^(AND|OR|NOT)(?=[\s\u3000("+\-![{]|$)/.exec(this.text.slice(this.at, this.at + 4)) ?? [];
    return word === undefined ? null : WORD_OPERATORS[word]!;
  }

  /** Skips white space. */
  skip(): void {
    while (this.isSpace()) this.at += 1;
  }

  /** Whether this is the next character. */
  is(character: string): boolean {
    return this.text[this.at] === character;
  }

  isSpace(): boolean {
    return SPACE.has(this.text[this.at] ?? '');
  }

  /** Whether a word ends before this index. */
  endsAt(at: number): boolean {
    return at >= this.text.length || ENDS.has(this.text[at]!);
  }

  /** @throws SyntaxFault */
  fail(message: string, at = this.at): never {
    throw new SyntaxFault(message, at + 1);
  }
}
