/** Links to the languages of a page. */
import type { PageLanguages } from './frame.ts';
import { Menu } from './menu.tsx';
import { type Locale, PSEUDO } from './texts.ts';
import { useTexts } from './use-texts.ts';

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

export function LanguageChooser({ languages: { offered, path } }: { languages: PageLanguages }) {
  const { t, locale } = useTexts();
  if (offered.length < 2) return null;
  return (
    <Menu icon="globe" label={t('layout.languages')} text={nameOf(locale)} class="languages">
      {offered.map((it) => (
        <a
          key={it}
          lang={it}
          hreflang={it}
          aria-current={it === locale ? 'true' : undefined}
          href={`/${it}${path === '/' ? '' : path}`}
        >
          {nameOf(it)}
        </a>
      ))}
    </Menu>
  );
}
