/** Writes the rows of a file into a table, with types that fit all values. */
import { Kind, TYPES } from '../read/kinds.ts';
import { badFile } from '../read/problem.ts';
import type { Reading } from '../read/reading.ts';

/** Number of values of a guessed type that PostgreSQL may refuse. After that, all columns become text. */
const MAX_REFUSALS = 3;

export interface PourOptions {
  readonly reading: Reading;
  /** Types from the data dictionary, by column. */
  readonly chosen: ReadonlyMap<string, string>;
  readonly signal: AbortSignal;
  /** Writes the rows into a new table, atomically. @throws errors of `rows`, and PostgreSQL's refusal of a value */
  write(table: WrittenTable): Promise<void>;
  /** The column whose value PostgreSQL refused because of its type; null for any other failure. */
  refusedColumn(failure: unknown): string | null;
}

export interface WrittenTable {
  readonly names: readonly string[];
  readonly types: readonly string[];
  readonly delimiter: string;
  readonly rows: () => AsyncIterable<Buffer>;
  /** Available when all rows were read. */
  readonly count: () => number;
}

/** A value did not fit its kind, or the encoding differs from the one detected. */
class Again extends Error {}

/** Returns the number of rows. @throws CatalogError VALIDATION, LIMIT, and errors of `write` */
export async function pour({ reading, chosen, signal, write, refusedColumn }: PourOptions): Promise<number> {
  let { kinds } = reading.described;
  for (let refusals = 0; ; ) {
    const { names, delimiter } = reading.described;
    const types = kinds.map((kind, index) => chosen.get(names[index]!) ?? TYPES[kind]);
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
      kinds = kinds.map((kind, index) =>
        kind !== Kind.fixed && (refusals > MAX_REFUSALS || names[index] === column) ? Kind.text : kind,
      );
    }
  }
}
