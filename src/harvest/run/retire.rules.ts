/** When a source is believed that much of it is gone. Pure. */

/** Why so many are not deleted at once (`atMost`: percent); null when they may be. One may always go, unless it is all there is. */
export function retiring(gone: number, known: number, atMost: number): string | null {
  if (gone === 0) return null;
  if (gone === known)
    return `The source lists none of its ${known} harvested datasets. Nothing was deleted. If this is correct, run again with --force.`;
  if (gone === 1 || gone * 100 <= known * atMost) return null;
  return `The source no longer lists ${gone} of its ${known} harvested datasets, more than ${atMost} %. Nothing was deleted. If this is correct, run again with --force.`;
}
