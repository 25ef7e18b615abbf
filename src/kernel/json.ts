import { randomUUID } from 'node:crypto';

/** Serialized JSON that is sent unchanged. Facades splice it into their envelope; JSON.stringify gets the parsed value. */
export class JsonText {
  readonly #source: string | Buffer;
  /** Identifies the text in entity tags, so that a long cached text is not hashed for each response. Null: the text does. */
  readonly digest: string | null;

  /** As text, or as its UTF-8 bytes, for values that are sent often. */
  constructor(source: string | Buffer, digest: string | null = null) {
    this.#source = source;
    this.digest = digest;
  }

  get text(): string {
    return typeof this.#source === 'string' ? this.#source : this.#source.toString();
  }

  /** Null if it was made from text. */
  get bytes(): Buffer | null {
    return typeof this.#source === 'string' ? null : this.#source;
  }

  /** Bytes. */
  get size(): number {
    return Buffer.byteLength(this.#source);
  }

  /** Its mark while `partsOf` serializes a value around it. */
  toJSON(): unknown {
    if (!collected) return JSON.parse(this.text);
    collected.push(this);
    return MARK;
  }
}

/** JSON.stringify that keeps serialized values unparsed, at any depth of the value. */
export const toJsonText = (value: unknown): string =>
  partsOf(value)
    .map((part) => (typeof part === 'string' ? part : part.text))
    .join('');

/** Text, bytes, or pieces of bytes in order, of which long cached ones are not copied. */
export type Body = string | Buffer | readonly Buffer[];

export interface JsonBody {
  readonly body: Body;
  /** The whole text for the hash of an entity tag, with digests in place of the values that have one. */
  tagged(): string | Buffer;
}

/** Minimum bytes of a value that is a piece of its own: copying it would cost as much as sending it. */
const LONG = 64 * 1024;

/**
 * The same between two texts. Bytes if some part is bytes, which are copied without encoding, or pieces if one of them is long.
 * @throws RangeError for more than `max` bytes (characters of parts that are texts), and for texts longer than V8 allows
 */
export function toJsonBody(before: string, value: unknown, after: string, max = Number.POSITIVE_INFINITY): JsonBody {
  const parts = [before, ...partsOf(value), after].filter((part) => part !== '');
  if (parts.reduce((sum, part) => sum + madeFrom(part).length, 0) > max) throw new RangeError(`longer than ${max}`);
  const body = parts.some(isLong) ? piecesOf(parts) : joined(parts);
  return { body, tagged: () => (parts.some(hasDigest) || Array.isArray(body) ? taggedText(parts) : (body as string)) };
}

/** Text or bytes, without a conversion. */
const madeFrom = (part: Part): string | Buffer => (typeof part === 'string' ? part : (part.bytes ?? part.text));
const isLong = (part: Part): boolean => typeof part !== 'string' && (part.bytes?.length ?? 0) >= LONG;
const hasDigest = (part: Part): boolean => typeof part !== 'string' && part.digest !== null;
const taggedText = (parts: readonly Part[]): string =>
  parts.map((part) => (typeof part === 'string' ? part : (part.digest ?? part.text))).join('');

function piecesOf(parts: readonly Part[]): Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  const short = (to: number) => {
    if (from < to) pieces.push(Buffer.from(joined(parts.slice(from, to)) as string));
    from = to + 1;
  };
  parts.forEach((part, index) => {
    if (!isLong(part)) return;
    short(index);
    pieces.push((part as JsonText).bytes!);
  });
  short(parts.length);
  return pieces;
}

function joined(parts: readonly Part[]): string | Buffer {
  const ready = parts.map(madeFrom);
  if (ready.every((part) => typeof part === 'string')) return ready.join('');
  const lengths = ready.map((part) => (typeof part === 'string' ? Buffer.byteLength(part) : part.length));
  const body = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  ready.forEach((part, index) => {
    if (typeof part === 'string') body.write(part, at);
    else body.set(part, at);
    at += lengths[index]!;
  });
  return body;
}

/** Bytes per character, about: of the text of a parsed value, and of a serialized one. */
const PARSED = 5;
const SERIALIZED = 2;

/** Bytes of memory of a value with serialized parts, about. */
export const sizeOf = (value: unknown): number =>
  partsOf(value).reduce(
    (sum, part) =>
      sum + (typeof part === 'string' ? PARSED * part.length : (part.bytes?.length ?? SERIALIZED * part.text.length)),
    0,
  );

type Part = string | JsonText;

/** Takes the place of a serialized value. Never sent, so that no caller can know it. */
const MARK = randomUUID();
const QUOTED = `"${MARK}"`;
/** Serialized values in the order of their marks, during a call of `partsOf`. */
let collected: JsonText[] | null = null;

function partsOf(value: unknown): Part[] {
  if (value instanceof JsonText) return [value];
  const values: JsonText[] = [];
  collected = values;
  try {
    const [first, ...others] = (JSON.stringify(value) ?? 'null').split(QUOTED);
    return [first!, ...others.flatMap((text, index) => [values[index]!, text])];
  } finally {
    collected = null;
  }
}

/**
 * The value without keys that are undefined, at any depth. Objects that contain only texts, numbers, booleans and null are returned
 * themselves, so the result must not be changed.
 */
export function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (Object.values(value).every(isScalar)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, withoutUndefined(item)]),
  );
}

const isScalar = (value: unknown): boolean => value === null || (typeof value !== 'object' && value !== undefined);

/** Whether a value of parsed JSON is an object. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
