/** Languages of URLs and requests: prefixes such as `/de/…`, and `Accept-Language`. */
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import Negotiator from 'negotiator';

/** Languages of CKAN 2.4, which are prefixes of its URLs. */
const KNOWN =
  'ar bg ca cs_CZ da_DK de el en en_AU en_GB es fa_IR fi fr he hr hu id is it ja km ko_KR lt lv mn_MN ne nl no pl pt_BR pt_PT ro ru sk sl sq sr sr_Latn sv th tr uk_UA vi zh_CN zh_TW';

/** Characters of `Accept-Language` that count. Browsers send fewer than 100. */
const MAX_HEADER = 1_000;

const prefixes = new WeakMap<IncomingMessage, string>();

/** Language prefix of the request's URL, without a slash; empty if it has none. */
export const prefixOf = (req: IncomingMessage): string => prefixes.get(req) ?? '';

/** The offered language for a code: itself, or without its country. Null if there is none. */
export function offeredFor<Locale extends string>(code: string, offered: readonly Locale[]): Locale | null {
  const canonical = code.replaceAll('_', '-').toLowerCase();
  const find = (requested: string) => offered.find((it) => it.toLowerCase() === requested);
  return find(canonical) ?? find(canonical.split('-', 1)[0]!) ?? null;
}

/** The best of the offered languages for the header. Null without the header, or if it accepts none of them. */
export function preferredLanguage<Locale extends string>(
  header: string | undefined,
  offered: readonly Locale[],
): Locale | null {
  if (!header?.trim()) return null;
  const bounded = header.length > MAX_HEADER ? header.slice(0, MAX_HEADER).replace(/,[^,]*$/, '') : header;
  const explicit = bounded.replace(/(^|,)\s*\*[^,]*/g, ''); // any language: the default of the site
  return (
    (new Negotiator({ headers: { 'accept-language': explicit } }).language([...offered]) as Locale | undefined) ?? null
  );
}

/**
 * Removes the prefix of an offered language from the URL, for `prefixOf`. Redirects URLs with the prefix of another language of CKAN, or
 * of a region or script (`/en-US`, `/de_AT`), to the offered language, or to the URL without a prefix. `/api` has prefixes of its own.
 * `root`: path of the site.
 */
export function languagePrefix(offered: readonly string[], root: string): RequestHandler {
  const codes = new Set([...offered, ...KNOWN.split(' ')]);
  const languages = new Set([...codes].map((code) => code.split(/[-_]/, 1)[0]!));
  const variant = `(?:${[...languages].join('|')})[-_](?:[A-Za-z]{2}|[A-Za-z]{4}|[0-9]{3})`;
  const pattern = new RegExp(`^/(${[...codes].join('|')}|${variant})(?=/(?!api(?:/|[?]|$)|[/\\\\])|[?]|$)(.*)$`, 's');
  return (req, res, next) => {
    const [, code, rest] = pattern.exec(req.url) ?? [];
    if (code === undefined || rest === undefined) return next();
    const url = rest.startsWith('/') ? rest : `/${rest}`;
    if (offered.includes(code)) {
      prefixes.set(req, code);
      req.url = url;
      return next();
    }
    if (req.method !== 'GET' && req.method !== 'HEAD') return next();
    const other = offeredFor(code, offered);
    res.set('cache-control', 'no-cache').redirect(302, root + (other === null ? '' : `/${other}`) + url);
  };
}
