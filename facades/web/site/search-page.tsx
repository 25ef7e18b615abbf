/** Search results with facets, for all datasets and for those of an organization or group. */
import type { ComponentChildren } from 'preact';
import type { ResultsFragment } from '../../../src/generated/operations.ts';
import { counted, DatasetCard } from './cards.tsx';
import { Notice } from './form.tsx';
import { Icon } from './icons.tsx';
import { Pagination } from './pagination.tsx';
import { SearchBox } from './search-box.tsx';
import { FACET_VALUES, PAGE_SIZE, type SearchQuery, searchHref, toggled } from './search-query.ts';

const LABELS: Readonly<Record<string, string>> = {
  organization: 'Organizations',
  groups: 'Groups',
  tags: 'Tags',
  res_format: 'Formats',
  license_id: 'Licenses',
};

const SORTS: Readonly<Record<string, string>> = {
  '': 'Relevance',
  'metadata_modified desc': 'Last modified',
  'metadata_created desc': 'Newest',
  'title_string asc': 'Title A–Z',
  'title_string desc': 'Title Z–A',
};

export const labelOf = (field: string): string => LABELS[field] ?? field.replace(/^vocab_/, '').replace(/_/g, ' ');

interface SearchProps {
  readonly path: string;
  readonly search: SearchQuery;
  /** Null if the query was refused. */
  readonly results: ResultsFragment | null;
  /** Why the query was refused. */
  readonly fault?: string;
  readonly placeholder?: string;
}

export function SearchResults({ path, search, results, fault, placeholder = 'Search datasets' }: SearchProps) {
  const chosen = [...search.filters].flatMap(([field, values]) => values.map((value) => ({ field, value })));
  return (
    <div class="find">
      <div class="found">
        <SearchForm {...{ path, search, placeholder }} />
        <Notice text={fault} bad />
        {results && (
          <p class="count" role="status">
            {search.q ? (
              <>
                <strong>{counted(results.count, 'dataset')}</strong> for “{search.q}”
              </>
            ) : (
              <strong>{counted(results.count, 'dataset')}</strong>
            )}{' '}
            <a class="to-filters" href="#filters">
              Filter
            </a>
          </p>
        )}
        {chosen.length > 0 && (
          <ul class="chosen" aria-label="Selected filters">
            {chosen.map(({ field, value }) => (
              <li key={`${field} ${value}`}>
                <a href={searchHref(path, toggled(search, field, value))}>
                  {labelOf(field)}: {nameOf(results, field, value)} <Icon name="close" />
                  <span class="hidden">remove</span>
                </a>
              </li>
            ))}
          </ul>
        )}
        {results?.matches.length === 0 && <NoResults {...{ path, search, count: results.count }} />}
        <h2 class="hidden">Results</h2>
        <ul class="cards list">
          {results?.matches.map((match) => (
            <DatasetCard key={match.node.name} match={match} />
          ))}
        </ul>
        {results && (
          <Pagination
            page={search.page}
            pages={Math.ceil(results.count / PAGE_SIZE)}
            href={(page) => searchHref(path, { ...search, page })}
          />
        )}
      </div>
      {results?.facets.some(({ items }) => items.length > 0) && (
        <aside id="filters" aria-label="Filters">
          {results.facets.map((facet) => (
            <Facet key={facet.field} {...{ path, search, facet }} />
          ))}
        </aside>
      )}
    </div>
  );
}

function SearchForm({ path, search, placeholder }: { path: string; search: SearchQuery; placeholder: string }) {
  const known = Object.hasOwn(SORTS, search.sort);
  return (
    <SearchBox path={path} label={placeholder} q={search.q}>
      {[...search.filters].flatMap(([field, values]) =>
        values.map((value) => <input key={`${field} ${value}`} type="hidden" name={field} value={value} />),
      )}
      <div class="order">
        <label for="sort">Sort by</label>
        <select id="sort" name="sort">
          {!known && (
            <option value={search.sort} selected>
              {search.sort}
            </option>
          )}
          {Object.entries(SORTS).map(([value, label]) => (
            <option key={value} value={value} selected={value === search.sort}>
              {label}
            </option>
          ))}
        </select>
        <button type="submit" class="quiet">
          Apply
        </button>
      </div>
    </SearchBox>
  );
}

function NoResults({ path, search, count }: { path: string; search: SearchQuery; count: number }) {
  if (count > 0)
    return (
      <p>
        This page does not exist. <a href={searchHref(path, { ...search, page: 1 })}>Go to the first page.</a>
      </p>
    );
  return (
    <div class="empty">
      <p>No datasets match.</p>
      <ul>
        {search.filters.size > 0 && (
          <li>
            <a href={searchHref(path, { ...search, filters: new Map(), page: 1 })}>Remove all filters</a>
          </li>
        )}
        {search.q && <li>Check the spelling, or use fewer or more general words.</li>}
        {search.q && (
          <li>
            Find parts of words with <code>*</code>, such as <code>trans*</code>, and one field with its name, such as{' '}
            <code>title:water</code>.
          </li>
        )}
        <li>
          <a href={path}>Show all datasets</a>
        </li>
      </ul>
    </div>
  );
}

type FacetData = ResultsFragment['facets'][number];

/** Label of a selected value: known if the facet lists it. */
const nameOf = (results: ResultsFragment | null, field: string, value: string): string =>
  results?.facets.find((one) => one.field === field)?.items.find(({ name }) => name === value)?.displayName ?? value;

function Facet({ path, search, facet }: { path: string; search: SearchQuery; facet: FacetData }) {
  const { field } = facet;
  const items = facet.items.filter(({ name }) => name !== '');
  if (items.length === 0) return null;
  const isExpanded = search.expanded.has(field);
  const limit = isExpanded ? FACET_VALUES.long : FACET_VALUES.short;
  const selected = search.filters.get(field) ?? [];
  const expanded = new Set(search.expanded);
  if (isExpanded) expanded.delete(field);
  else expanded.add(field);
  return (
    <section class="facet">
      <h2>{labelOf(field)}</h2>
      <ul>
        {items.slice(0, limit).map(({ name, displayName, count }) => (
          <li key={name}>
            <a
              href={searchHref(path, toggled(search, field, name))}
              aria-current={selected.includes(name) ? 'true' : undefined}
            >
              <span>{displayName}</span> <span class="number">{count.toLocaleString('en')}</span>
              {selected.includes(name) && <span class="hidden">selected, remove</span>}
            </a>
          </li>
        ))}
      </ul>
      {(isExpanded || items.length > limit) && (
        <p>
          <More href={searchHref(path, { ...search, expanded, page: 1 })} label={labelOf(field)}>
            {isExpanded ? 'Show fewer' : 'Show more'}
          </More>
        </p>
      )}
    </section>
  );
}

const More = ({ href, label, children }: { href: string; label: string; children: ComponentChildren }) => (
  <a class="more" href={`${href}#filters`}>
    {children} <span class="hidden">{label}</span>
  </a>
);
