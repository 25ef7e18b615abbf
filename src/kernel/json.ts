import { randomUUID } from 'node:crypto';

/** Serialized JSON that is sent unchanged. Facades splice it into their envelope; JSON.stringify gets the parsed value. */
export class JsonText {
  readonly #source: string | Buffer;

  /** As text, or as its UTF-8 bytes, for values that are sent often. */
  constructor(source: string | Buffer) {
    this.#source = source;
  }

  get text(): string {
    return typeof this.#source === 'string' ? this.#source : this.#source.toString();
  }

  /** Null if it was made from text. */
  get bytes(): Buffer | null {
    return typeof this.#source === 'string' ? null : this.#source;
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

/** The same between two texts. Returns bytes if some part is bytes, which are copied without encoding. */
export function toJsonBody(before: string, value: unknown, after: string): string | Buffer {
  const parts: Part[] = [before, ...partsOf(value), after];
  const ready = parts.map((part) => (typeof part === 'string' ? part : (part.bytes ?? part.text)));
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

/** A copy without keys that are undefined. */
export function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, withoutUndefined(item)]),
  );
}
