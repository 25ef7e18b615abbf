/** Caches the values of facet numbers. A number never changes its value, so entries never expire. */

import { compareText } from '../../kernel/text.ts';

export interface ValueRow {
  readonly code: number;
  readonly field: string;
  readonly value: string;
}

export class Dictionary {
  readonly #values: (string | undefined)[] = [];
  readonly #codes = new Map<string, number[]>();
  /** Not sorted in yet. */
  readonly #added = new Map<string, number[]>();

  learn(rows: readonly ValueRow[]): void {
    for (const { code, field, value } of rows) {
      if (this.#values[code] !== undefined) continue;
      this.#values[code] = value;
      const added = this.#added.get(field);
      if (added) added.push(code);
      else this.#added.set(field, [code]);
    }
  }

  /** Counted numbers without a cached value. */
  unknown(counts: Uint32Array): number[] {
    const missing: number[] = [];
    for (let code = 0; code < counts.length; code += 1)
      if (counts[code]! > 0 && this.#values[code] === undefined) missing.push(code);
    return missing;
  }

  /** Numbers of a field's values, sorted by value. */
  codesOf(field: string): readonly number[] {
    const codes = this.#codes.get(field) ?? [];
    const added = this.#added.get(field);
    if (!added) return codes;
    const compare = (a: number, b: number) => compareText(this.valueOf(a), this.valueOf(b));
    added.sort(compare);
    const all: number[] = [];
    for (const code of codes) {
      while (added.length > 0 && compare(added[0]!, code) < 0) all.push(added.shift()!);
      all.push(code);
    }
    all.push(...added);
    this.#codes.set(field, all);
    this.#added.delete(field);
    return all;
  }

  valueOf(code: number): string {
    return this.#values[code]!;
  }
}
