/** Datasets in the order that nothing but time gives: the most recently modified first, then the older dataset. Pure. */

/** When a dataset was modified. */
type Time = (number: number) => number;

const compare = (time: Time) => (a: number, b: number) => time(b) - time(a) || a - b;

/** Numbers put in this order. */
export const inOrder = (numbers: Int32Array, time: Time): Int32Array => numbers.sort(compare(time));

/** An ordered list without those that were written since, and with those of them that are wanted, in their places; in one walk. */
export function reordered(
  before: Int32Array,
  written: ReadonlySet<number>,
  wanted: readonly number[],
  time: Time,
): Int32Array {
  const isBefore = compare(time);
  const added = [...wanted].sort(isBefore);
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
