/** Rows of a file → a table, with types that hold all of its values. */
import { Kind, TYPES } from '../read/kinds.ts';
import { badFile } from '../read/problem.ts';
import type { Reading } from '../read/reading.ts';

/** Times that PostgreSQL may refuse a value of a guessed type; after that all columns are texts. */
const MAX_REFUSALS = 3;

export interface PourOptions {
  readonly reading: Reading;
  /** Types that people have chosen, by column. */
  readonly chosen: ReadonlyMap<string, string>;
  readonly signal: AbortSignal;
  /** Puts the rows into a new table, whole or not at all. @throws what `rows` throws, and a value's refusal by PostgreSQL */
  write(table: WrittenTable): Promise<void>;
  /** The column of a refusal by PostgreSQL, where a value was refused for its type; null for every other failure. */
  refusedColumn(failure: unknown): string | null;
}

export interface WrittenTable {
  readonly names: readonly string[];
  readonly types: readonly string[];
  readonly delimiter: string;
  readonly rows: () => AsyncIterable<Buffer>;
  /** Known when all rows have come. */
  readonly count: () => number;
}

/** A value did not fit its kind, or the file is in another encoding. */
class Again extends Error {}

/** Answers how many rows there are. @throws CatalogError VALIDATION, LIMIT, and what `write` throws */
export async function pour({ reading, chosen, signal, write, refusedColumn }: PourOptions): Promise<number> {
  let { kinds } = reading.described;
  for (let refusals = 0; ; ) {
    const { names, delimiter } = reading.described;
    const types = kinds.map((kind, place) => chosen.get(names[place]!) ?? TYPES[kind]);
    let count = 0;
    async function* rows(): AsyncGenerator<Buffer> {
      const from = reading.rows(kinds);
      try {
        let step = await from.next();
        for (; !step.done; step = await from.next()) {
          signal.throwIfAborted();
          yield step.value;
        }
        if (step.value === null) throw new Again();
        count = step.value;
      } finally {
        await from.return(null);
      }
    }
    try {
      await write({ names, types, delimiter, rows, count: () => count });
      return count;
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof Again) {
        kinds = reading.described.kinds;
        continue;
      }
      const column = refusedColumn(thrown);
      if (column === null) throw thrown;
      if (chosen.has(column))
        throw badFile(
          `Column "${column}" has a value that is not of type ${chosen.get(column)}: ${(thrown as Error).message}`,
        );
      refusals += 1;
      kinds = kinds.map((kind, place) =>
        kind !== Kind.fixed && (refusals > MAX_REFUSALS || names[place] === column) ? Kind.text : kind,
      );
    }
  }
}
