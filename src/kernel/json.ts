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

/** JSON.stringify that keeps ready texts unparsed where they are the whole value or the items of a list. */
export function toJsonText(value: unknown): string {
  if (value instanceof JsonText) return value.text;
  if (Array.isArray(value) && value.length > 0 && value[0] instanceof JsonText)
    return `[${value.map(toJsonText).join(',')}]`;
  return JSON.stringify(value) ?? 'null';
}
