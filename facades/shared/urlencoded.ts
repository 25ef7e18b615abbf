/** Parses form-encoded bodies (application/x-www-form-urlencoded), with limits. */
import { UnreadableBody } from './bodies.ts';

/** Maximum bytes of a field's name, as in multipart forms. */
const MAX_NAME = 100;

/** JSON with a form's content type, as old clients send it: plain or percent-encoded. */
const JSON_START = /^(?:\s|\+|%20|%0[9ad])*(?:[[{"]|%7b|%5b|%22)/i;

export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Characters in which JSON begins: a repetition without a limit would exhaust the stack of the expression. */
const MAX_START = 1_000;

/** True for a body with fields; false for JSON, and for text without a field. */
export const hasFields = (body: string): boolean => /[=&]/.test(body) && !JSON_START.test(body.slice(0, MAX_START));

/**
 * Fields of a form-encoded body; a repeated name gives a list in order. A `%` that starts no valid escape is literal.
 * @throws UnreadableBody for more than `maxFields` fields, a name over 100 bytes, and escapes that are not UTF-8
 */
export function parseUrlencoded(body: string, maxFields: number): Record<string, string | string[]> {
  const pairs = body.split('&', maxFields + 1);
  if (pairs.length > maxFields)
    throw new UnreadableBody(`The form has more than ${maxFields} fields (catalog.limits.json_values)`, true);
  const fields: Record<string, string | string[]> = Object.create(null);
  for (const pair of pairs) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decoded(at < 0 ? pair : pair.slice(0, at), null);
    if (Buffer.byteLength(name) > MAX_NAME)
      throw new UnreadableBody(
        `Form Error: a field name is longer than ${MAX_NAME} bytes: ${name.slice(0, 40)}…`,
        true,
      );
    const value = at < 0 ? '' : decoded(pair.slice(at + 1), name);
    const before = fields[name];
    if (Array.isArray(before)) before.push(value);
    else fields[name] = before === undefined ? value : [before, value];
  }
  return fields;
}

/** `name` is the field of the decoded value; null when decoding a name. */
function decoded(text: string, name: string | null): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced.replace(/%(?![0-9a-f]{2})/gi, '%25'));
  } catch {
    throw new UnreadableBody(`Form Error: ${name === null ? 'a field name' : `the value of ${name}`} is not UTF-8`);
  }
}
