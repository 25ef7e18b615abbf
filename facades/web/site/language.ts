/** Language of a page: the prefix of its URL, then `Accept-Language`, then the language of the site. */
import type { IncomingMessage } from 'node:http';
import { offeredFor, preferredLanguage, prefixOf } from '../../shared/locale.ts';
import type { Frame, PageLanguages } from './frame.ts';
import { type Locale, PSEUDO, type Texts, textsOf } from './texts.ts';
import type { Theme } from './theme.ts';

export interface LanguageOptions {
  readonly locales: readonly Locale[];
  readonly defaultLocale: string;
  /** Called for every request, because the theme can change at run time. */
  readonly theme: () => Theme;
}

interface PageLanguage extends Pick<Frame, 'texts' | 'languages'> {
  /** Request headers on which the language depended. */
  readonly vary: readonly string[];
}

/** Texts in the language of the prefix or the site, for responses that do not depend on the reader. */
export function publicTexts(req: IncomingMessage, { locales, defaultLocale, theme }: LanguageOptions): Texts {
  const locale = offeredFor(prefixOf(req), locales) ?? siteLocale(locales, defaultLocale);
  return textsOf(locale, locale, messagesIn(theme(), locale));
}

const messagesIn = ({ messages }: Theme, locale: Locale) => (locale === PSEUDO ? undefined : messages[locale]);

const siteLocale = (locales: readonly Locale[], defaultLocale: string): Locale =>
  offeredFor(defaultLocale, locales) ?? locales[0]!;

export function languageOf(req: IncomingMessage, { locales, defaultLocale, theme }: LanguageOptions): PageLanguage {
  const code = prefixOf(req);
  const content = defaultLocale.replaceAll('_', '-');
  const locale =
    (code !== '' ? offeredFor(code, locales) : preferredLanguage(req.headers['accept-language'], locales)) ??
    siteLocale(locales, defaultLocale);
  return {
    texts: textsOf(locale, content, messagesIn(theme(), locale)),
    languages: {
      offered: locales,
      content,
      prefix: code && `/${code}`,
      path: req.url ?? '/',
    },
    vary: code === '' && locales.length > 1 ? ['Accept-Language'] : [],
  };
}

/** A path of this site in the language of the page. A path with a language keeps it. */
export function localized(path: string, { prefix, offered }: PageLanguages): string {
  const [, first] = path.split(/[/?#]/, 2);
  return (offered as readonly string[]).includes(first ?? '') ? path : prefix + path;
}
