/** Validates sources and reports all problems at once. Pure. */
import type { Problem } from '../../kernel/errors.ts';

interface Given {
  readonly name: string;
  readonly title: string;
  readonly url: string;
  readonly every: number | null;
  readonly perSecond: number | null;
  readonly goneAtMost: number | null;
}

/** Default requests per second. */
export const DEFAULT_PER_SECOND = 5;
/** Default maximum percentage of a source's datasets that one run may delete. */
export const DEFAULT_MAX_GONE = 20;

const NAME = /^[a-z0-9_-]{2,100}$/;
const MAX_URL_LENGTH = 2_000;
const MAX_TITLE_LENGTH = 1_000;
/** In minutes: a quarter of an hour, and a year. */
const [MIN_INTERVAL, MAX_INTERVAL] = [15, 525_600];
const MAX_PER_SECOND = 1_000;

export function checkSource({ name, title, url, every, perSecond, goneAtMost }: Given): Problem[] {
  const problems: Problem[] = [];
  const add = (field: string, message: string) => problems.push({ path: [field], message });
  if (!NAME.test(name)) add('name', 'Must be 2 to 100 lowercase letters, digits, - and _');
  if (title.length > MAX_TITLE_LENGTH) add('title', `Must be at most ${MAX_TITLE_LENGTH} characters long`);
  const fault = addressFault(url);
  if (fault) add('url', fault);
  if (every !== null && !(every >= MIN_INTERVAL && every <= MAX_INTERVAL))
    add('every', `Must be between ${MIN_INTERVAL} and ${MAX_INTERVAL} minutes`);
  if (perSecond !== null && !(perSecond >= 1 && perSecond <= MAX_PER_SECOND))
    add('perSecond', `Must be between 1 and ${MAX_PER_SECOND}`);
  if (goneAtMost !== null && !(goneAtMost >= 0 && goneAtMost <= 100)) add('goneAtMost', 'Must be between 0 and 100');
  return problems;
}

function addressFault(url: string): string | null {
  if (url.length > MAX_URL_LENGTH) return `Must be at most ${MAX_URL_LENGTH} characters long`;
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (!parsed || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) return 'Must be an http or https URL';
  return parsed.username || parsed.password ? 'Must not contain a user name or password' : null;
}

/** Base URL of a catalog. Strips the API path that users may have copied. Leaves a URL above the maximum length unchanged. */
export const catalogAddress = (url: string): string =>
  url.length > MAX_URL_LENGTH
    ? url
    : url
        .trim()
        .replace(/[?#].*$/s, '')
        .replace(/\/api(\/.*)?$/, '')
        .replace(/\/+$/, '');

/** A name derived from a URL. */
export const nameOf = (url: string): string =>
  (URL.canParse(url) ? new URL(url).host : url)
    .slice(0, MAX_URL_LENGTH)
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .padEnd(2, '_')
    .slice(0, 90);
