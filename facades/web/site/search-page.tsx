/** Search results with facets, for all datasets and for those of an organization or group. */
import type { ComponentChildren } from 'preact';
import type { ResultsFragment } from '../../../src/generated/operations.ts';
import { DatasetCard } from './cards.tsx';
import { Notice } from './form.tsx';
import { Icon } from './icons.tsx';
import { attribute, elementOf, html, type Markup } from './markup.ts';
import { NoPage, Pagination } from './pagination.tsx';
import { SearchBox } from './search-box.tsx';
import { FACET_VALUES, type SearchQuery, searchHref, toggled } from './search-query.ts';
import { SearchTips } from './search-tips.tsx';
import type { Texts } from './texts.ts';
import { useTexts } from './use-texts.ts';

const LABELS = {
  organization: 'common.organizations',
  groups: 'common.groups',
  tags: 'common.tags',
  res_format: 'common.formats',
  license_id: 'common.licenses',
  link_status: 'link.field',
} as const;

const SORTS = {
  '': 'search.sortRelevance',
  'metadata_modified desc': 'search.sortModified',
  'metadata_created desc': 'search.sortNewest',
  'views_recent desc': 'search.sortViewed',
  'views_total desc': 'search.sortViewedEver',
  'title_string asc': 'search.sortAscending',
  'title_string desc': 'search.sortDescending',
} as const;

/** Label of a facet. Fields without a text have their own name. */
export const labelOf = (t: Texts['t'], field: string): string =>
  Object.hasOwn(LABELS, field)
    ? t(LABELS[field as keyof typeof LABELS])
    : field.replace(/^vocab_/, '').replace(/_/g, ' ');

interface SearchProps {
  readonly path: string;
  readonly search: SearchQuery;
  /** Null if the query was refused. */
  readonly results: ResultsFragment | null;
  /** Why the query was refused. */
  readonly fault?: ComponentChildren;
  readonly placeholder?: string;
}

export function SearchResults({ path, search, results, fault, placeholder }: SearchProps) {
  const { t } = useTexts();
  const chosen = [...search.filters].flatMap(([field, values]) => values.map((value) => ({ field, value })));
  return (
    <div class="find">
      <div class="found">
        <SearchForm {...{ path, search }} placeholder={placeholder ?? t('search.placeholder')} />
        <SearchTips />
        <Notice text={fault} bad />
        {results && (
          <p class="count" role="status">
            <Found count={results.count} q={search.q} />{' '}
            <a class="to-filters" href="#filters">
              {t('search.filter')}
            </a>
          </p>
        )}
        {chosen.length > 0 && (
          <ul class="chosen" aria-label={t('search.selected')}>
            {chosen.map(({ field, value }) => (
              <li key={`${field} ${value}`}>
                <a href={searchHref(path, toggled(search, field, value))}>
                  {t('search.chosen', { field: labelOf(t, field), value: nameOf(t, results, field, value) })}{' '}
                  <Icon name="close" />
                  <span class="hidden">{t('search.remove')}</span>
                </a>
              </li>
            ))}
          </ul>
        )}
        {results?.matches.length === 0 && <NoResults {...{ path, search, count: results.count }} />}
        <h2 class="hidden">{t('common.results')}</h2>
        <ul class="cards list">
          {results?.matches.map((match) => (
            <DatasetCard key={match.node.name} match={match} />
          ))}
        </ul>
        {results && (
          <Pagination
            page={search.page}
            pages={Math.ceil(results.count / search.size)}
            href={(page) => searchHref(path, { ...search, page })}
          />
        )}
      </div>
      {results?.facets.some(({ items }) => items.length > 0) && (
        <aside id="filters" aria-label={t('search.filters')}>
          {results.facets.map((facet) => (
            <Facet key={facet.field} {...{ path, search, facet }} />
          ))}
        </aside>
      )}
    </div>
  );
}

function Found({ count, q }: { count: number; q: string }) {
  const { t, rich } = useTexts();
  const strong = (text: ComponentChildren) => <strong>{text}</strong>;
  return q ? rich('search.found', { count, q, strong }) : strong(t('count.dataset', { count }));
}

function SearchForm({ path, search, placeholder }: { path: string; search: SearchQuery; placeholder: string }) {
  const { t } = useTexts();
  const known = Object.hasOwn(SORTS, search.sort);
  return (
    <SearchBox path={path} label={placeholder} q={search.q}>
      {[...search.filters].flatMap(([field, values]) =>
        values.map((value) => <input key={`${field} ${value}`} type="hidden" name={field} value={value} />),
      )}
      <div class="order">
        <label for="sort">{t('search.sortBy')}</label>
        <select id="sort" name="sort">
          {!known && (
            <option value={search.sort} selected>
              {search.sort}
            </option>
          )}
          {Object.entries(SORTS).map(([value, label]) => (
            <option key={value} value={value} selected={value === search.sort}>
              {t(label)}
            </option>
          ))}
        </select>
        <button type="submit" class="quiet">
          {t('common.apply')}
        </button>
      </div>
    </SearchBox>
  );
}

function NoResults({ path, search, count }: { path: string; search: SearchQuery; count: number }) {
  const { t, rich } = useTexts();
  if (count > 0) return <NoPage first={searchHref(path, { ...search, page: 1 })} />;
  return (
    <div class="empty">
      <p>{t('search.noMatch')}</p>
      <ul>
        {search.filters.size > 0 && (
          <li>
            <a href={searchHref(path, { ...search, filters: new Map(), page: 1 })}>{t('search.removeFilters')}</a>
          </li>
        )}
        {search.q && <li>{t('search.spelling')}</li>}
        {search.q && (
          <li>
            {rich('search.syntax', {
              star: <code>*</code>,
              example: <code>trans*</code>,
              field: <code>title:water</code>,
            })}
          </li>
        )}
        <li>
          <a href={path}>{t('search.showAll')}</a>
        </li>
      </ul>
    </div>
  );
}

type FacetData = ResultsFragment['facets'][number];

/** A verdict about links in the language of the page; null for values of other fields. */
const verdictOf = (t: Texts['t'], field: string, value: string): string | null =>
  field === 'link_status' ? t('link.verdict', { verdict: value }) : null;

/** Label of a selected value: known if the facet lists it. */
const nameOf = (t: Texts['t'], results: ResultsFragment | null, field: string, value: string): string =>
  verdictOf(t, field, value) ??
  results?.facets.find((one) => one.field === field)?.items.find(({ name }) => name === value)?.localName ??
  value;

function Facet({ path, search, facet }: { path: string; search: SearchQuery; facet: FacetData }) {
  const texts = useTexts();
  const { t } = texts;
  const { field } = facet;
  const items = facet.items.filter(({ name }) => name !== '');
  if (items.length === 0) return null;
  const isExpanded = search.expanded.has(field);
  const limit = isExpanded ? FACET_VALUES.long : FACET_VALUES.short;
  const expanded = new Set(search.expanded);
  if (isExpanded) expanded.delete(field);
  else expanded.add(field);
  const more = searchHref(path, { ...search, expanded, page: 1 });
  const isLong = items.length > limit;
  const finding = (isExpanded || isLong) && {
    'data-find': t('islands.find', { name: labelOf(t, field) }),
    ...(isLong && { 'data-whole': more }),
  };
  const label = labelOf(t, field);
  return (
    <section class="facet" id={`facet-${field}`} {...finding}>
      <h2>{label}</h2>
      <ul>{elementOf(...items.slice(0, limit).map((item) => facetValue(item, { path, search, field, texts })))}</ul>
      {(isExpanded || isLong) && (
        <p>
          <More href={more} label={label}>
            {isExpanded ? t('search.showFewer') : t('search.showMore')}
          </More>
        </p>
      )}
    </section>
  );
}

interface ValueOptions {
  readonly path: string;
  readonly search: SearchQuery;
  readonly field: string;
  readonly texts: Texts;
}

/** A value of a facet: a link that selects it, or no longer does. */
function facetValue(
  { name, displayName, localName, count }: FacetData['items'][number],
  { path, search, field, texts: { t, number, langOf } }: ValueOptions,
): Markup {
  const isSelected = search.filters.get(field)?.includes(name) ?? false;
  const href = searchHref(path, toggled(search, field, name));
  const verdict = verdictOf(t, field, displayName);
  const lang = verdict === null ? langOf(displayName, localName) : undefined;
  const label = html`<span${attribute('lang', lang)}>${verdict ?? localName}</span>`;
  const selected = isSelected && html`<span class="hidden">${t('search.isSelected')}</span>`;
  const current = attribute('aria-current', isSelected ? 'true' : undefined);
  const found = html`<span class="number">${number(count)}</span>`;
  return html`<li><a href="${href}"${current}>${label} ${found}${selected}</a></li>`;
}

const More = ({ href, label, children }: { href: string; label: string; children: ComponentChildren }) => (
  <a class="more" href={`${href}#filters`}>
    {children} <span class="hidden">{label}</span>
  </a>
);
