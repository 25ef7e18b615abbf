/** Orders datasets by time alone: most recently modified first, ties by creation order. Pure. */

/** Modification time of a dataset. */
type Time = (number: number) => number;

const compare = (time: Time) => (a: number, b: number) => time(b) - time(a) || a - b;

/** Numbers in this order. */
export const inOrder = (numbers: Int32Array, time: Time): Int32Array => numbers.sort(compare(time));

/** Merges changes into an ordered list in one pass: removes changed datasets and inserts those that still match. */
export function reordered(
  before: Int32Array,
  written: ReadonlySet<number>,
  requested: readonly number[],
  time: Time,
): Int32Array {
  const isBefore = compare(time);
  const added = [...requested].sort(isBefore);
  const found = new Int32Array(before.length + added.length);
  let length = 0;
  let next = 0;
  for (const number of before) {
    if (written.has(number)) continue;
    while (next < added.length && isBefore(added[next]!, number) < 0) found[length++] = added[next++]!;
    found[length++] = number;
  }
  while (next < added.length) found[length++] = added[next++]!;
  return found.slice(0, length);
}
