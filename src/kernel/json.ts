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

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** JSON.stringify that keeps serialized values unparsed: as the whole value, as items of a list, or as values of an object. */
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
