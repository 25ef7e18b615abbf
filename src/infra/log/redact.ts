/** Removes secrets from log lines: from messages, fields, errors and stack traces. */
import { SETTINGS, type SettingName, type Settings } from '../../kernel/settings.ts';
import type { Setting } from '../../kernel/settings.types.ts';

const HIDDEN = '[redacted]';
/** Shorter secrets would hide words of other lines. */
const MIN_LENGTH = 6;
/** Sessions, tokens, keys for passwords, uploads: see src/accounts/identity/secrets.ts. */
const TOKENS = /\bcg[stpu]_[\w-]{20,}/g;
/** Passwords of any URL, also in values of parameters. Without the limits, the time would grow with the square of a line's length. */
const IN_URL = /(\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/?#:@"\\]*:)[^\s/?#@"\\]+@/gi;
/** Headers whose values are secret, as the end of a name: also `Set-Cookie` and `Proxy-Authorization`. */
const HEADERS = ['authorization', 'cookie', 'x-[\\w-]{0,40}api-key'];

/** A function from a line of JSON to the line without secrets. Replaces texts in values: in finished JSON it could break an escape. */
export function createRedactor(settings: Settings): (line: string) => string {
  const headers = [...HEADERS, escapedInPattern(settings.apikey_header_name)].join('|');
  const secretField = new RegExp(`(?<!\\w)(?:${headers})$`, 'i');
  // To the end of the line: cookies and the parameters of Digest have spaces, commas and quotes in them.
  const inHeader = new RegExp(`((?<!\\w)(?:${headers})\\\\?["']?\\s*[:=])\\s*[^\\r\\n]+`, 'gi');
  // Lines without these and without a secret of a setting are not parsed.
  const suspicious = new RegExp(`cg[stpu]_|://|${headers}`, 'i');
  const known = secretsOf(settings).flatMap((secret) => [secret, escapedInJson(secret)]);
  const escaped = known.map(escapedInJson);
  const redacted = (text: string): string =>
    known
      .reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), text)
      .replace(TOKENS, HIDDEN)
      .replace(IN_URL, `$1${HIDDEN}@`)
      .replace(inHeader, `$1 ${HIDDEN}`);
  const visit = (value: unknown): unknown => {
    if (typeof value === 'string') return redacted(value);
    if (typeof value === 'number') return known.includes(String(value)) ? HIDDEN : value;
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [redacted(key), secretField.test(key) ? HIDDEN : visit(inner)]),
    );
  };
  return (line) => {
    if (!suspicious.test(line) && !escaped.some((secret) => line.includes(secret))) return line;
    const { level, time, ...fields } = JSON.parse(line) as Record<string, unknown>; // they stay, even if a header has their name
    return `${JSON.stringify({ level, time, ...(visit(fields) as object) })}\n`;
  };
}

const escapedInPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
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
