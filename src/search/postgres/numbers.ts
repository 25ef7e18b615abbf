/** Operations on sets of datasets, stored as unordered lists of unique numbers. Pure. */

/** A flag per number. Each function resets it before it returns, so one shared array is enough. */
let marks = new Uint16Array(0);

function marksFor(end: number): Uint16Array {
  if (marks.length < end) marks = new Uint16Array(Math.max(end, 1024, marks.length * 2));
  return marks;
}

/** One more than the greatest number. */
function endOf(lists: readonly Int32Array[]): number {
  let end = 0;
  for (const list of lists) for (let i = 0; i < list.length; i += 1) if (list[i]! >= end) end = list[i]! + 1;
  return end;
}

/** Numbers that occur in at least `count` lists. */
export function inAtLeast(count: number, lists: readonly Int32Array[]): Int32Array {
  if (lists.length === 1 && count <= 1) return lists[0]!;
  const seen = marksFor(endOf(lists));
  const found = new Int32Array(lists.reduce((sum, list) => sum + list.length, 0));
  let length = 0;
  for (const list of lists)
    for (let i = 0; i < list.length; i += 1) if (++seen[list[i]!]! === count) found[length++] = list[i]!;
  for (const list of lists) for (let i = 0; i < list.length; i += 1) seen[list[i]!] = 0;
  return found.slice(0, length);
}

/** Numbers of a list that are in another list, or that are not. */
export function filtered(list: Int32Array, other: Int32Array, isIncluded: boolean): Int32Array {
  if (list === other && isIncluded) return list;
  const end = endOf([other]);
  const seen = marksFor(end);
  const found = new Int32Array(list.length);
  let length = 0;
  for (let i = 0; i < other.length; i += 1) seen[other[i]!] = 1;
  for (let i = 0; i < list.length; i += 1) {
    const number = list[i]!;
    if ((number < end && seen[number] === 1) === isIncluded) found[length++] = number;
  }
  for (let i = 0; i < other.length; i += 1) seen[other[i]!] = 0;
  return found.subarray(0, length);
}

/** A list without a few other numbers, and those of them that it contains. Returns the list itself if it contains none. */
export function split(list: Int32Array, others: Int32Array): [left: Int32Array, taken: Int32Array] {
  const end = endOf([others]);
  const seen = marksFor(end);
  const positions: number[] = [];
  for (let i = 0; i < others.length; i += 1) seen[others[i]!] = 1;
  for (let i = 0; i < list.length; i += 1) if (list[i]! < end && seen[list[i]!] === 1) positions.push(i);
  for (let i = 0; i < others.length; i += 1) seen[others[i]!] = 0;
  if (positions.length === 0) return [list, new Int32Array()];
  const left = new Int32Array(list.length - positions.length);
  let from = 0;
  for (const [index, position] of [...positions, list.length].entries()) {
    left.set(list.subarray(from, position), from - index);
    from = position + 1;
  }
  return [left, Int32Array.from(positions, (position) => list[position]!)];
}

/** Value of each number in a list; 0 where the list lacks it. */
export function valuesFor(numbers: Int32Array, list: Int32Array, values: Float64Array): Float64Array {
  if (numbers === list) return values;
  const at = new Int32Array(endOf([numbers, list]));
  for (let i = 0; i < list.length; i += 1) at[list[i]!] = i + 1;
  const found = new Float64Array(numbers.length);
  for (let i = 0; i < numbers.length; i += 1) {
    const position = at[numbers[i]!]!;
    if (position > 0) found[i] = values[position - 1]!;
  }
  return found;
}

/** A sort key: one value per item of a list. */
export interface Column {
  readonly values: Float64Array | Int32Array;
  readonly descending: boolean;
}

const STRIDE = 64;

/** Indexes of the first `count` items in this order after `after` (a value per key; null: from the start). The last key must be unique. */
export function firstOf(
  length: number,
  keys: readonly Column[],
  count: number,
  after: readonly number[] | null,
): Int32Array {
  const signs = keys.map(({ descending }) => (descending ? -1 : 1));
  const compare = (a: number, b: number): number => {
    for (let key = 0; key < keys.length; key += 1) {
      const { values } = keys[key]!;
      if (values[a]! !== values[b]!) return values[a]! < values[b]! ? -signs[key]! : signs[key]!;
    }
    return 0;
  };
  const isAfter = (at: number): boolean => {
    for (let key = 0; key < keys.length; key += 1) {
      const value = keys[key]!.values[at]!;
      if (value !== after![key]!) return value < after![key]! === keys[key]!.descending;
    }
    return false;
  };
  const heap = new Heap(Math.min(count, length), compare);
  const { values, descending } = keys[0]!;
  // Read in strides: otherwise a list in exactly reverse order would replace the heap at every item.
  for (let start = 0; start < STRIDE; start += 1) {
    for (let at = start; at < length; at += STRIDE) {
      // The first key rules out most items of a long list.
      const last = heap.last;
      if (last >= 0 && (descending ? values[at]! < values[last]! : values[at]! > values[last]!)) continue;
      if (after === null || isAfter(at)) heap.offer(at);
    }
  }
  return heap.sorted();
}

/** Heap of the smallest items, with the greatest on top. */
class Heap {
  readonly #items: Int32Array;
  readonly #compare: (a: number, b: number) => number;
  #length = 0;

  constructor(size: number, compare: (a: number, b: number) => number) {
    this.#items = new Int32Array(size);
    this.#compare = compare;
  }

  /** The item to evict next; -1 while there is capacity. */
  get last(): number {
    return this.#length > 0 && this.#length === this.#items.length ? this.#items[0]! : -1;
  }

  offer(item: number): void {
    const items = this.#items;
    if (this.#length === items.length) {
      if (items.length === 0 || this.#compare(item, items[0]!) >= 0) return;
      this.#sink(item);
      return;
    }
    let at = this.#length++;
    for (; at > 0; ) {
      const above = (at - 1) >> 1;
      if (this.#compare(items[above]!, item) >= 0) break;
      items[at] = items[above]!;
      at = above;
    }
    items[at] = item;
  }

  #sink(item: number): void {
    const items = this.#items;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= this.#length) break;
      if (below + 1 < this.#length && this.#compare(items[below + 1]!, items[below]!) > 0) below += 1;
      if (this.#compare(items[below]!, item) <= 0) break;
      items[at] = items[below]!;
      at = below;
    }
    items[at] = item;
  }

  sorted(): Int32Array {
    return this.#items.slice(0, this.#length).sort(this.#compare);
  }
}
