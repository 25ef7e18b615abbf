/** Links to the languages of a page. */
import type { PageLanguages } from './frame.ts';
import { attribute, html, type Markup } from './markup.ts';
import { menuOf } from './menu.ts';
import { type Locale, PSEUDO, type Texts } from './texts.ts';

/** Name of a language in itself: `Deutsch`. */
function ownName(locale: Locale): string {
  if (locale === PSEUDO) return PSEUDO;
  const name = new Intl.DisplayNames(locale, { type: 'language' }).of(locale) ?? locale;
  return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1);
}

const names = new Map<Locale, string>();
const nameOf = (locale: Locale): string => {
  const name = names.get(locale) ?? ownName(locale);
  names.set(locale, name);
  return name;
};

/** Null for a site in one language. */
export function languagesOf({ offered, path }: PageLanguages, { t, locale }: Texts): Markup | null {
  if (offered.length < 2) return null;
  const links = offered.map((it) => {
    const current = attribute('aria-current', it === locale ? 'true' : undefined);
    return html`<a lang="${it}" hreflang="${it}"${current} href="/${it}${path === '/' ? '' : path}">${nameOf(it)}</a>`;
  });
  return menuOf({ icon: 'globe', label: t('layout.languages'), text: nameOf(locale), kind: 'languages' }, links);
}
