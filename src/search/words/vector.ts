/** Collects words with their places and writes them as PostgreSQL's tsvector. Bounded: what is beyond the bounds is not found by its words. */

/** A (title), B (tags and groups), C (notes), D (the rest). */
export type Weight = 'A' | 'B' | 'C' | 'D';

/** PostgreSQL keeps places up to 16,383. */
export const LAST_PLACE = 16_000;
/** Bytes of the words of one dataset; PostgreSQL takes a million with their places. */
const MAX_BYTES = 500_000;
/** Characters of the texts of one dataset. */
const MAX_CHARACTERS = 300_000;

export class Vector {
  readonly #places = new Map<string, string[]>();
  #next = 1;
  #bytes = 0;
  #characters = MAX_CHARACTERS;

  /** The place of the next word. */
  get next(): number {
    return this.#next;
  }

  /** As much of a text as there is time for: what is read of one dataset is bounded, however many texts it has. */
  take(text: string): string {
    const taken = text.slice(0, this.#characters).toWellFormed();
    this.#characters -= taken.length;
    return taken;
  }

  /** Leaves a gap, so that no phrase goes across. */
  gap(): void {
    this.#next += 10;
  }

  /** Puts a word at a place; the next one is behind it. */
  add(word: string, place: number, weight: Weight): void {
    if (place > LAST_PLACE) return;
    let places = this.#places.get(word);
    if (!places) {
      this.#bytes += Buffer.byteLength(word) + 12;
      if (this.#bytes > MAX_BYTES) return;
      this.#places.set(word, (places = []));
    }
    places.push(weight === 'D' ? String(place) : `${place}${weight}`);
    if (place >= this.#next) this.#next = place + 1;
  }

  toString(): string {
    return [...this.#places].map(([word, places]) => `${quoted(word)}:${places.join(',')}`).join(' ');
  }
}

/** A word as tsvector and tsquery take it. */
export const quoted = (word: string): string => `'${word.replace(/['\\]/g, '$&$&')}'`;
