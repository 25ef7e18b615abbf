/**
 * JSON that is already text and passes to the wire as it is. Facades splice `text` into their envelope;
 * anything that serializes it with JSON.stringify gets the parsed value.
 */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** JSON.stringify that keeps ready texts unparsed where they are the whole value, items of a list, or values of an object. */
export function toJsonText(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  if (isReadyList(value)) return `[${value.map(toJsonText).join(',')}]`;
  if (!isPlain(value) || !Object.values(value).some((part) => part instanceof JsonText || isReadyList(part)))
    return JSON.stringify(value) ?? 'null';
  const pairs = Object.entries(value).filter(([, part]) => part !== undefined);
  return `{${pairs.map(([key, part]) => `${JSON.stringify(key)}:${toJsonText(part)}`).join(',')}}`;
}

const isReadyList = (value: unknown): value is JsonText[] =>
  Array.isArray(value) && value.length > 0 && value[0] instanceof JsonText;
const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
