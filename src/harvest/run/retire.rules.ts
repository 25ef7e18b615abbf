/** Limits the share of datasets that one run may delete. Pure. */

/**
 * Reason why this many deletions are refused (`maxPercent`: percent); null when allowed. One deletion is always allowed, unless it is the only
 * dataset.
 */
export function retiring(gone: number, known: number, maxPercent: number): string | null {
  if (gone === 0) return null;
  if (gone === known)
    return `The source lists none of its ${known} harvested datasets. Nothing was deleted. If this is correct, run again with --force.`;
  if (gone === 1 || gone * 100 <= known * maxPercent) return null;
  return `The source no longer lists ${gone} of its ${known} harvested datasets, more than ${maxPercent} %. Nothing was deleted. If this is correct, run again with --force.`;
}
