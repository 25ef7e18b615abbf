/** Selects the requested values of a facet: those that fit, in their order, after a value. Pure; for all engines. */
import { compareText } from '../../kernel/text.ts';
import type { FacetCount, FacetPage, FacetWish } from '../engine.ts';

type Counted = Pick<FacetCount, 'value' | 'count'>;

/** Whether a value contains the requested text, ignoring case. */
export function fits({ contains }: FacetWish): (value: string) => boolean {
  const text = contains?.toLowerCase();
  return text === undefined ? () => true : (value) => value.toLowerCase().includes(text);
}

function comparison({ order, isReversed }: FacetWish): (a: Counted, b: Counted) => number {
  const sign = isReversed ? -1 : 1;
  const byCount = (a: Counted, b: Counted) => (order === 'value' ? 0 : b.count - a.count);
  return (a, b) => sign * (byCount(a, b) || compareText(a.value, b.value));
}

/** Whether a value comes after the last value of the page before. */
export function isBeyond(wish: FacetWish): (one: Counted) => boolean {
  const { after } = wish;
  if (!after) return () => true;
  const compare = comparison(wish);
  return (one) => compare(one, after) > 0;
}

/** The requested part of all counted values. */
export function selected(values: readonly FacetCount[], wish: FacetWish): FacetPage {
  const isFit = fits(wish);
  const fitting = values.filter(({ value }) => isFit(value));
  const page = fitting.filter(isBeyond(wish)).sort(comparison(wish));
  return { total: fitting.length, values: wish.limit === null ? page : page.slice(0, wish.limit) };
}
