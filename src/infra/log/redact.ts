/** Removes secrets from finished log lines: from messages, fields, errors and stack traces. */
import { SETTINGS, type SettingName, type Settings } from '../../kernel/settings.ts';
import type { Setting } from '../../kernel/settings.types.ts';

const HIDDEN = '[redacted]';
/** Shorter secrets would hide words of other lines. */
const MIN_LENGTH = 6;
/** Sessions, tokens, keys for passwords, uploads: see src/accounts/identity/secrets.ts. */
const TOKENS = /\bcg[stpu]_[\w-]{20,}/g;
/** Passwords of any URL, also in values of parameters. Without the limits, the time would grow with the square of a line's length. */
const IN_URL = /(\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s/?#:@"\\]*:)[^\s/?#@"\\]+@/gi;
const IN_HEADER =
  /(\b(?:authorization|cookie|x-[\w-]{0,40}api-key)\\?"?\s*[:=]\s*\\?"?)(?:(?:bearer|basic) +)?[^\s"\\,]+/gi;

/** A function from a log line to the line without secrets. */
export function createRedactor(settings: Settings): (line: string) => string {
  const known = secretsOf(settings).flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  return (line) => {
    let text = line;
    for (const secret of known) if (text.includes(secret)) text = text.replaceAll(secret, HIDDEN);
    return text.replace(TOKENS, HIDDEN).replace(IN_URL, `$1${HIDDEN}@`).replace(IN_HEADER, `$1${HIDDEN}`);
  };
}

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
