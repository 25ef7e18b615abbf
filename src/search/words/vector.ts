/** Collects words with positions and writes them as PostgreSQL's tsvector. Words beyond the limits are not searchable. */

/** A (title), B (tags and groups), C (notes), D (other fields). */
export type Weight = 'A' | 'B' | 'C' | 'D';

/** PostgreSQL stores positions up to 16,383. */
export const MAX_POSITION = 16_000;
/** Maximum bytes of the words of one dataset. PostgreSQL accepts a million including positions. */
const MAX_BYTES = 500_000;
/** Maximum characters of the texts of one dataset. */
const MAX_CHARACTERS = 300_000;

export class Vector {
  readonly #byWord = new Map<string, string[]>();
  #next = 1;
  #bytes = 0;
  #characters = MAX_CHARACTERS;

  /** The position of the next word. */
  get next(): number {
    return this.#next;
  }

  /** The part of a text within the remaining budget. It bounds the work per dataset, regardless of the number of texts. */
  take(text: string): string {
    const taken = text.slice(0, this.#characters).toWellFormed();
    this.#characters -= taken.length;
    return taken;
  }

  /** Leaves a gap, so that no phrase matches across it. */
  gap(): void {
    this.#next += 10;
  }

  /** Adds a word at a position and advances the next position. */
  add(word: string, position: number, weight: Weight): void {
    if (position > MAX_POSITION) return;
    let positions = this.#byWord.get(word);
    if (!positions) {
      this.#bytes += Buffer.byteLength(word) + 12;
      if (this.#bytes > MAX_BYTES) return;
      this.#byWord.set(word, (positions = []));
    }
    positions.push(weight === 'D' ? String(position) : `${position}${weight}`);
    if (position >= this.#next) this.#next = position + 1;
  }

  toString(): string {
    return [...this.#byWord].map(([word, positions]) => `${quoted(word)}:${positions.join(',')}`).join(' ');
  }
}

/** A word quoted for tsvector and tsquery. */
export const quoted = (word: string): string => `'${word.replace(/['\\]/g, '$&$&')}'`;
