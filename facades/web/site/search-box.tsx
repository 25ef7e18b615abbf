/** A search field with its button, as a form that works without scripts. */
import type { ComponentChildren } from 'preact';
import { Icon } from './icons.tsx';

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
  const id = isSmall ? 'find' : 'q';
  return (
    <search class={isSmall ? 'small' : undefined} aria-label={isSmall ? 'Whole catalog' : label}>
      <form method="get" action={path}>
        <div class="box">
          <label class="hidden" for={id}>
            {label}
          </label>
          <input id={id} type="search" name="q" value={q || undefined} placeholder={isSmall ? 'Search' : label} />
          <button type="submit" aria-label={isSmall ? 'Search' : undefined}>
            <Icon name="search" /> {!isSmall && <span>Search</span>}
          </button>
        </div>
        {children}
      </form>
    </search>
  );
}
