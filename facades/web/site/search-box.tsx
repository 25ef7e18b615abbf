/** A search field with its button, as a form that works without scripts. */
import type { ComponentChildren } from 'preact';
import { Icon } from './icons.tsx';

interface SearchBoxProps {
  readonly path: string;
  readonly label: string;
  readonly q?: string;
  /** Further fields of the form. */
  readonly children?: ComponentChildren;
}

export const SearchBox = ({ path, label, q = '', children }: SearchBoxProps) => (
  <search>
    <form method="get" action={path}>
      <div class="box">
        <label class="hidden" for="q">
          {label}
        </label>
        <input id="q" type="search" name="q" value={q} placeholder={label} />
        <button type="submit">
          <Icon name="search" /> <span>Search</span>
        </button>
      </div>
      {children}
    </form>
  </search>
);
