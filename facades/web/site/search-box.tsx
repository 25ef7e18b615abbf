/** A search field with its button, as a form that works without scripts. */
import type { ComponentChildren } from 'preact';
import { Icon } from './icons.tsx';
import { useTexts } from './use-texts.ts';

interface SearchBoxProps {
  readonly path: string;
  readonly label: string;
  readonly q?: string;
  /** In the header of a page, beside the page's own search. */
  readonly isSmall?: boolean;
  /** Further fields of the form. */
  readonly children?: ComponentChildren;
}

export function SearchBox({ path, label, q = '', isSmall = false, children }: SearchBoxProps) {
  const { t } = useTexts();
  const id = isSmall ? 'find' : 'q';
  return (
    <search class={isSmall ? 'small' : undefined} aria-label={isSmall ? t('common.wholeCatalog') : label}>
      <form method="get" action={path}>
        <div class="box">
          <label class="hidden" for={id}>
            {label}
          </label>
          <input
            id={id}
            type="search"
            name="q"
            value={q || undefined}
            placeholder={isSmall ? t('common.search') : label}
            {...(path === '/dataset' && suggestions(t('islands.suggestions')))}
          />
          <button type="submit" aria-label={isSmall ? t('common.search') : undefined}>
            <Icon name="search" /> {!isSmall && <span>{t('common.search')}</span>}
          </button>
        </div>
        {children}
      </form>
    </search>
  );
}

/** The source of suggestions while the visitor types, for the script of pages. */
const suggestions = (label: string) => ({
  'data-suggest': '/api/2/util/dataset/autocomplete?incomplete=',
  'data-suggestions': label,
});
