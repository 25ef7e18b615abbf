/** Parses the functions of `bf` and `boost`, such as `recip(ms(NOW,metadata_modified),3.16e-11,1,1)`, into a tree. */
import { instantOf } from './dates.ts';
import { type ExactField, exactFieldOf } from './fields.ts';
import { checkLength, SyntaxFault } from './syntax.ts';

export type FunctionName = keyof typeof ARGUMENTS;

export type Formula =
  | { readonly kind: 'number'; readonly value: number }
  /** A number, or an instant in milliseconds since 1970. */
  | { readonly kind: 'field'; readonly field: Extract<ExactField, { kind: 'column' }> }
  | { readonly kind: 'call'; readonly name: FunctionName; readonly of: readonly Formula[] };

/** A function and its factor. */
export interface Weighted {
  readonly of: Formula;
  readonly weight: number;
}

/** Minimum and maximum number of arguments. `ms` of one argument is the instant, of two the difference. */
const ARGUMENTS = {
  ms: [1, 2],
  recip: [4, 4],
  sum: [1, 10],
  sub: [2, 2],
  product: [1, 10],
  div: [2, 2],
  max: [1, 10],
  min: [1, 10],
  abs: [1, 1],
  sqrt: [1, 1],
  log: [1, 1],
  ln: [1, 1],
} as const satisfies Record<string, readonly [number, number]>;

const MAX_CHARACTERS = 1_000;
const MAX_DEPTH = 6;
const MAX_FUNCTIONS = 10;
const [LARGEST, SMALLEST] = [1e12, 1e-15];

/** Functions separated by spaces, each with an optional `^weight`. @throws SyntaxFault */
export function functionsOf(text: string, now: Date): Weighted[] {
  checkLength(text, MAX_CHARACTERS);
  const reader = new Reader(text, now);
  const functions: Weighted[] = [];
  for (reader.skip(); !reader.isAtEnd; reader.skip()) {
    if (functions.length >= MAX_FUNCTIONS) reader.fail(`more than ${MAX_FUNCTIONS} functions`);
    functions.push(reader.weighted());
  }
  return functions;
}

class Reader {
  readonly #text: string;
  readonly #now: Date;
  #at = 0;

  constructor(text: string, now: Date) {
    this.#text = text;
    this.#now = now;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  skip(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  weighted(): Weighted {
    const of = this.#function(0, false);
    if (this.#text[this.#at] !== '^') return { of, weight: 1 };
    this.#at += 1;
    return { of, weight: this.#number(this.#word()) };
  }

  #function(depth: number, isInstant: boolean): Formula {
    if (depth > MAX_DEPTH) this.fail(`functions can be nested at most ${MAX_DEPTH} deep`);
    this.skip();
    const from = this.#at;
    const word = this.#word();
    if (this.#text[this.#at] === '(') return this.#call(word, depth, from);
    if (isInstant && /^(NOW|\d{4}-)/.test(word))
      return { kind: 'number', value: instantOf(word, this.#now, from + 1).getTime() };
    if (/^[-+.\d]/.test(word)) return { kind: 'number', value: this.#number(word) };
    const field = word === '' ? null : exactFieldOf(word);
    if (field?.kind !== 'column' || field.type === 'text')
      this.fail(`a number or time field is expected${word && ` (got "${word.slice(0, 60)}")`}`, from);
    return { kind: 'field', field };
  }

  #call(name: string, depth: number, from: number): Formula {
    if (!Object.hasOwn(ARGUMENTS, name)) this.fail(`the function ${name.slice(0, 60)} is not supported`, from);
    const of: Formula[] = [];
    do {
      this.#at += 1;
      of.push(this.#function(depth + 1, name === 'ms'));
      this.skip();
    } while (this.#text[this.#at] === ',' && of.length <= 10);
    if (this.#text[this.#at] !== ')') this.fail('a bracket is expected');
    this.#at += 1;
    const [least, most] = ARGUMENTS[name as FunctionName];
    if (of.length < least || of.length > most)
      this.fail(`${name} takes ${least === most ? least : `${least} to ${most}`} arguments`, from);
    return { kind: 'call', name: name as FunctionName, of };
  }

  #word(): string {
    const from = this.#at;
    while (this.#at < this.#text.length && !/[\s,()^]/.test(this.#text[this.#at]!)) this.#at += 1;
    return this.#text.slice(from, this.#at);
  }

  #number(word: string): number {
    const value = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d{1,3})?$/.test(word) ? Number(word) : Number.NaN;
    const size = Math.abs(value);
    if (!(value === 0 || (size >= SMALLEST && size <= LARGEST)))
      this.fail(
        `${word.slice(0, 40) || 'nothing'} is not a number between ${SMALLEST} and ${LARGEST}`,
        this.#at - word.length,
      );
    return value;
  }

  fail(message: string, at = this.#at): never {
    throw new SyntaxFault(message, at + 1);
  }
}
