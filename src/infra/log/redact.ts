/** Removes secrets from log lines: from messages, fields, errors and stack traces. */
import { SETTINGS, type SettingName, type Settings } from '../../kernel/settings.ts';
import type { Setting } from '../../kernel/settings.types.ts';

const HIDDEN = '[redacted]';
/** Shorter secrets would hide words of other lines. */
const MIN_LENGTH = 6;
// All repetitions below have a limit: without one, a text of some MB takes the time of its square, or exhausts the stack of
// the expression. The latter depends on how much code V8 has compiled before.
/** Sessions, tokens, keys for passwords, uploads: see src/accounts/identity/secrets.ts. */
const TOKENS = /cg[stpu]_[\w-]{20,500}/g;
/** Passwords of any URL, also in values of parameters. */
const IN_URL = /(\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/?#:@"\\]{0,1000}:)[^\s/?#"\\]{1,10000}@/gi;
/** Headers whose values are secret, as the end of a name: also `Set-Cookie` and `Proxy-Authorization`. */
const HEADERS = ['authorization', 'cookie', 'x-[\\w-]{0,40}api-key'];
/** Between a header and its value: in HTTP, JSON, printed objects and lists, and addresses. */
const SEPARATOR = `(?:["'\\\\\\]\\s]{0,1000}[:=]|["'\\\\]{1,1000}\\s{0,1000},|%3[ad])`;

/** A function from a line of JSON to the line without secrets. Replaces texts in values: in finished JSON it could break an escape. */
export function createRedactor(settings: Settings): (line: string) => string {
  const headers = [...HEADERS, escapedInPattern(settings.apikey_header_name)].join('|');
  const secretField = new RegExp(`(?<!\\w)(?:${headers})$`, 'i');
  const header = new RegExp(`(?:${headers})${SEPARATOR}`, 'i');
  /** Hides all after a header: values have spaces, commas and quotes in them, and can continue on the next line. */
  const withoutHeader = (text: string): string => {
    const found = header.exec(text);
    return found ? `${text.slice(0, found.index + found[0].length)} ${HIDDEN}` : text;
  };
  // Lines without these and without a secret of a setting are not parsed.
  const suspicious = new RegExp(`cg[stpu]_|://|${headers}`, 'i');
  const known = secretsOf(settings).flatMap((secret) => [secret, escapedInJson(secret)]);
  const escaped = known.map(escapedInJson);
  const redacted = (text: string): string =>
    withoutHeader(known.reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text))
      .replace(TOKENS, HIDDEN)
      .replace(IN_URL, `$1${HIDDEN}@`);
  const isSecret = (name: unknown): boolean => typeof name === 'string' && secretField.test(name);
  const visit = (value: unknown): unknown => {
    if (typeof value === 'string') return redacted(value);
    if (typeof value === 'number') return known.includes(String(value)) ? HIDDEN : value;
    if (Array.isArray(value)) return value.map((item, at) => (isSecret(value[at - 1]) ? HIDDEN : visit(item)));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [redacted(key), isSecret(key) ? HIDDEN : visit(inner)]),
    );
  };
  return (line) => {
    if (!suspicious.test(line) && !escaped.some((secret) => line.includes(secret))) return line;
    const found = JSON.parse(line) as Record<string, unknown>;
    const shown = visit(found) as Record<string, unknown>;
    for (const key of ['level', 'time']) if (typeof found[key] === 'number') shown[key] = found[key]; // even if a header has this name
    return `${JSON.stringify(shown)}\n`;
  };
}

const escapedInPattern = (text: string): string => text.replace(/\W/g, '\\$&');
const escapedInJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Values of secret settings, and passwords in URLs of others, as they are written and decoded. Longest first. */
function secretsOf(settings: Settings): string[] {
  const found = new Set<string>();
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    const { secret, protocols }: Setting<unknown> = SETTINGS[name];
    for (const value of [settings[name]].flat()) {
      if (typeof value !== 'string') continue;
      if (secret) found.add(value);
      if (!protocols) continue;
      for (const [, inUser, inQuery] of value.matchAll(/\/\/[^/?#]*?:([^/?#]*)@|[?&][^=&]*password=([^&]*)/g))
        for (const form of [inUser ?? inQuery ?? '', decoded(inUser ?? inQuery ?? '')]) found.add(form);
    }
  }
  return [...found].filter(({ length }) => length >= MIN_LENGTH).sort((a, b) => b.length - a.length);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
