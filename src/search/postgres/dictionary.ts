/** What the numbers of facet values mean. Numbers are given once and for good, so what is known stays true. */

export interface ValueRow {
  readonly code: number;
  readonly field: string;
  readonly value: string;
}

export class Dictionary {
  readonly #values: (string | undefined)[] = [];
  readonly #codes = new Map<string, number[]>();

  learn(rows: readonly ValueRow[]): void {
    for (const { code, field, value } of rows) {
      if (this.#values[code] !== undefined) continue;
      this.#values[code] = value;
      const codes = this.#codes.get(field);
      if (codes) codes.push(code);
      else this.#codes.set(field, [code]);
    }
  }

  /** Numbers that were counted and whose meaning is not known yet. */
  unknown(counts: Uint32Array): number[] {
    const missing: number[] = [];
    for (let code = 0; code < counts.length; code += 1)
      if (counts[code]! > 0 && this.#values[code] === undefined) missing.push(code);
    return missing;
  }

  /** Numbers of a field's values. */
  codesOf(field: string): readonly number[] {
    return this.#codes.get(field) ?? [];
  }

  valueOf(code: number): string {
    return this.#values[code]!;
  }
}
