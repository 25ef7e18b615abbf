/** Links between the pages of a list. */
import { hrefOf } from './search-query.ts';
import { useTexts } from './use-texts.ts';

interface PaginationProps {
  /** Current page, from 1. */
  readonly page: number;
  readonly pages: number;
  readonly href: (page: number) => string;
}

export function Pagination({ page, pages, href }: PaginationProps) {
  const { t, number: written } = useTexts();
  if (pages < 2) return null;
  return (
    <nav class="pages" aria-label={t('common.pages')}>
      {page > 1 && (
        <a href={href(Math.min(page - 1, pages))} rel="prev">
          {t('common.previous')}
        </a>
      )}
      {shownPages(page, pages).map((number, index, all) => (
        <>
          {index > 0 && number - all[index - 1]! > 1 && <span aria-hidden="true">…</span>}
          {number === page ? (
            <span aria-current="page">{written(number)}</span>
          ) : (
            <a href={href(number)} aria-label={t('common.page', { page: number })}>
              {written(number)}
            </a>
          )}
        </>
      ))}
      {page < pages && (
        <a href={href(page + 1)} rel="next">
          {t('common.next')}
        </a>
      )}
    </nav>
  );
}

/** Says that a list has no such page. */
export function NoPage({ first }: { first: string }) {
  const { rich } = useTexts();
  return <p>{rich('search.noPage', { link: (text) => <a href={first}>{text}</a> })}</p>;
}

/** The first, the last, and two on each side of the current page. */
function shownPages(page: number, pages: number): number[] {
  const near = [page - 2, page - 1, page, page + 1, page + 2];
  return [...new Set([1, ...near, pages])].filter((number) => number >= 1 && number <= pages).sort((a, b) => a - b);
}

/** A page of a list that is read by cursor. */
export interface KeysetPage {
  /** URL of this page. */
  readonly href: string;
  /** URL of the next page; null on the last one. */
  readonly next: string | null;
}

/** Position of a page in a list that is read by cursor. */
export function positionOf(
  path: string,
  { after, ...kept }: { readonly after: string; readonly [name: string]: string },
  info: { readonly hasNextPage: boolean; readonly endCursor: string | null },
): KeysetPage {
  const href = (cursor: string) => hrefOf(path, [...Object.entries(kept), ['after', cursor]]);
  return { href: href(after), next: info.hasNextPage ? href(info.endCursor!) : null };
}

/** Link to the next page of a list that is read by cursor. */
export function NextPage({ href, label }: { href: string | null; label?: string }) {
  const { t } = useTexts();
  return href === null ? null : (
    <nav class="pages" aria-label={t('common.pages')}>
      <a href={href} rel="next">
        {label ?? t('common.next')}
      </a>
    </nav>
  );
}
