/**
 * JSON that is already text and passes to the wire as it is. Facades splice it into their envelope;
 * anything that serializes it with JSON.stringify gets the parsed value.
 */
export class JsonText {
  readonly #given: string | Buffer;

  /** As text, or as its UTF-8 bytes: what is sent many times is kept so. */
  constructor(given: string | Buffer) {
    this.#given = given;
  }

  get text(): string {
    return typeof this.#given === 'string' ? this.#given : this.#given.toString();
  }

  /** Null where it was given as text. */
  get bytes(): Buffer | null {
    return typeof this.#given === 'string' ? null : this.#given;
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** JSON.stringify that keeps ready texts unparsed where they are the whole value, items of a list, or values of an object. */
export const toJsonText = (value: unknown): string =>
  partsOf(value)
    .map((part) => (typeof part === 'string' ? part : part.text))
    .join('');

/** The same between two texts; as bytes where some of it is kept as bytes: those are copied and not written anew. */
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

function partsOf(value: unknown): Part[] {
  if (value instanceof JsonText) return [value];
  if (isReadyList(value)) return between('[', value.map(partsOf), ']');
  if (!isPlain(value) || !Object.values(value).some((part) => part instanceof JsonText || isReadyList(part)))
    return [JSON.stringify(value) ?? 'null'];
  const pairs = Object.entries(value).filter(([, part]) => part !== undefined);
  return between(
    '{',
    pairs.map(([key, part]) => [`${JSON.stringify(key)}:`, ...partsOf(part)]),
    '}',
  );
}

const between = (open: string, items: readonly Part[][], close: string): Part[] => [
  open,
  ...items.flatMap((item, index) => (index === 0 ? item : [',', ...item])),
  close,
];

const isReadyList = (value: unknown): value is JsonText[] =>
  Array.isArray(value) && value.length > 0 && value[0] instanceof JsonText;
const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
