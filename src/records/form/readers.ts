/** Readers of single wire values (ruling 9), for all facades with the Action API's dictionaries. */
import { invalid, type Problem } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import { hasMoreValues, isDeeper } from '../../kernel/json-size.ts';
import { MAX_DEPTH, MAX_VALUES, tooManyValues, truthOf } from '../../kernel/text.ts';

/** An unparsed dictionary. */
export type Raw = Readonly<Record<string, unknown>>;

/** Any scalar as text. A list or object becomes its JSON, which is never a valid name. */
export const asText = (raw: unknown): string =>
  typeof raw === 'string' ? raw : typeof raw === 'object' ? JSON.stringify(raw) : String(raw);

/** Ruling 9: true, on, 1, yes, t and y, ignoring case, are true; anything else is false. */
export const asFlag = (raw: unknown): boolean => truthOf(raw) === true;

/** A list of dictionaries; undefined when omitted. Any other value adds a problem for that key. */
export function dictionaries(raw: Raw, key: string, problems: Problem[]): Raw[] | undefined {
  const value = raw[key];
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every(isObject)) return value;
  problems.push({ path: [key], message: 'Must be a list of dictionaries' });
  return undefined;
}

const tooMany = (): Error => tooManyValues(MAX_VALUES);

/** Parses JSON in a text. @throws SyntaxError; CatalogError VALIDATION for more than 100,000 values or 64 levels */
export function jsonIn(text: string): unknown {
  if (hasMoreValues(text, MAX_VALUES)) throw tooMany();
  if (isDeeper(text, MAX_DEPTH)) throw invalid([{ path: [], message: `Nested deeper than ${MAX_DEPTH} levels` }]);
  return JSON.parse(text);
}

/** The parsed JSON text; any other text unchanged. */
export function jsonOr(text: string): unknown {
  try {
    return jsonIn(text);
  } catch {
    return text;
  }
}

/** Comma-separated parts, trimmed, including empty ones. @throws CatalogError VALIDATION for more than 100,000 */
export function splitAtCommas(text: string): string[] {
  const parts = text.split(',', MAX_VALUES + 1);
  if (parts.length > MAX_VALUES) throw tooMany();
  return parts.map((part) => part.trim());
}

/**
 * Parts between commas outside double quotes, as they are. A quote without another one after it is a character like any
 * other. Not an expression: its repetitions would exhaust the stack. @throws CatalogError VALIDATION for more than 100,000
 */
export function splitUnquoted(text: string): string[] {
  const parts: string[] = [];
  const lastQuote = text.lastIndexOf('"');
  let isQuoted = false;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) isQuoted = !isQuoted && at < lastQuote;
    if (character !== COMMA || isQuoted) continue;
    if (parts.push(text.slice(from, at)) >= MAX_VALUES) throw tooMany();
    from = at + 1;
  }
  parts.push(text.slice(from));
  return parts;
}
const QUOTE = 34;
const COMMA = 44;

/** A list in any form of ruling 9, as texts in order. */
export function asList(raw: unknown): string[] {
  if (Array.isArray(raw))
    return raw.flatMap((item) => (typeof item === 'string' && raw.length === 1 ? asList(item) : [asText(item)]));
  if (typeof raw !== 'string') return [asText(raw)];
  const trimmed = raw.trim();
  if (trimmed.startsWith('[')) {
    try {
      const parsed = jsonIn(trimmed);
      if (Array.isArray(parsed)) return parsed.map(asText);
    } catch {
      /* not JSON: read it as plain text */
    }
  }
  return splitAtCommas(trimmed).filter(Boolean);
}
