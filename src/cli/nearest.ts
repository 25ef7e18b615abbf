/** Finds the name that a misspelt one was probably meant to be. */

/** The candidate with the fewest different characters; null if none is close. */
export function nearest(name: string, candidates: readonly string[]): string | null {
  const limit = Math.max(1, Math.floor(name.length / 3));
  let best: { name: string; distance: number } | null = null;
  for (const candidate of candidates) {
    const distance = candidate.startsWith(name) && name.length > 2 ? 0 : distanceOf(name, candidate);
    if (distance <= limit && (best === null || distance < best.distance)) best = { name: candidate, distance };
  }
  return best?.name ?? null;
}

/** Number of insertions, deletions and replacements. Names of commands and options are short. */
function distanceOf(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > a.length) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + Number(a[i - 1] !== b[j - 1])));
    row = next;
  }
  return row[b.length]!;
}
