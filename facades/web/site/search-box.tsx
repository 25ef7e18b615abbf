/** A search field with its button, as a form that works without scripts. */
import type { ComponentChildren } from 'preact';
import { iconOf } from './icons.tsx';
import { attribute, elementOf, html, type Markup } from './markup.ts';
import type { Texts } from './texts.ts';
import { useTexts } from './use-texts.ts';

interface SearchBoxProps {
  readonly path: string;
  readonly label: string;
  readonly q?: string;
  /** Further fields of the form. */
  readonly children?: ComponentChildren;
}

/** The search of the header, beside the page's own one. */
export function smallSearchBox(path: string, label: string, t: Texts['t']): Markup {
  const field = fieldOf({ path, label, q: '', isSmall: true }, t);
  const name = t('common.wholeCatalog');
  return html`<search class="small" aria-label="${name}"><form method="get" action="${path}">${field}</form></search>`;
}

export function SearchBox({ path, label, q = '', children }: SearchBoxProps) {
  const { t } = useTexts();
  return (
    <search aria-label={label}>
      <form method="get" action={path}>
        {elementOf(fieldOf({ path, label, q, isSmall: false }, t))}
        {children}
      </form>
    </search>
  );
}

interface FieldOptions extends Required<Pick<SearchBoxProps, 'path' | 'label' | 'q'>> {
  readonly isSmall: boolean;
}

function fieldOf({ path, label, q, isSmall }: FieldOptions, t: Texts['t']): Markup {
  const id = isSmall ? 'find' : 'q';
  const search = t('common.search');
  const labelled = html`<label class="hidden" for="${id}">${label}</label>`;
  const value = attribute('value', q || undefined);
  const suggested = path === '/dataset' && suggestions(t('islands.suggestions'));
  const placeholder = isSmall ? search : label;
  const input = html`<input id="${id}" type="search" name="q"${value} placeholder="${placeholder}"${suggested}/>`;
  const name = attribute('aria-label', isSmall ? search : undefined);
  const text = !isSmall && html`<span>${search}</span>`;
  const button = html`<button type="submit"${name}>${iconOf('search')} ${text}</button>`;
  return html`<div class="box">${labelled}${input}${button}</div>`;
}

/** The source of suggestions while the visitor types, for the script of pages. */
const suggestions = (label: string): Markup =>
  html` data-suggest="/api/2/util/dataset/autocomplete?incomplete=" data-suggestions="${label}"`;
