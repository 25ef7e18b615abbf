/**
 * Reads a text file into a table: kinds of columns are guessed from its beginning and looked after in every value. Where one does not fit, the
 * rest is scanned, and the file read again with kinds that fit all: a type is never a matter of which rows came first.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { encodingOf, UTF8 } from './encoding.ts';
import { Kind, TYPES } from './kinds.ts';
import { badFile, notUtf8 } from './problem.ts';
import { Scanner } from './scan.ts';
import { startOf, type TextFile } from './text-file.ts';

/** Bytes from which kinds are guessed. */
const GUESSED_FROM = 4 * 2 ** 20;
/** Times that PostgreSQL may refuse a value of a guessed type; after that all columns are texts. */
const REFUSALS = 3;

export interface PourOptions {
  readonly file: TextFile;
  /** Types that people have chosen, by column. */
  readonly chosen: ReadonlyMap<string, string>;
  readonly signal: AbortSignal;
  /**
   * Puts the rows into a new table with these types, whole or not at all. @throws what `rows` throws, and a value's refusal by PostgreSQL
   */
  write(types: readonly string[], rows: () => AsyncIterable<Buffer>, count: () => number): Promise<void>;
  /** The column of a refusal by PostgreSQL, where a value was refused for its type; null for every other failure. */
  refusedColumn(failure: unknown): string | null;
}

/** The file is not in the encoding that its beginning was in. */
export class OtherEncoding extends Error {
  readonly encoding: string;
  constructor(encoding: string) {
    super(`the file is in ${encoding}`);
    this.encoding = encoding;
  }
}

/** Some value was of another kind than was guessed. */
class Misfit extends Error {}

/** Answers how many rows there are. @throws CatalogError VALIDATION, OtherEncoding, and what `write` throws */
export async function pour(options: PourOptions): Promise<number> {
  const { file, chosen, signal, write, refusedColumn } = options;
  let kinds = await guess(file, chosen);
  for (let refusals = 0; ; ) {
    const scanner = new Scanner(file.layout, kinds);
    const types = kinds.map((kind, place) => chosen.get(file.names[place]!) ?? TYPES[kind]);
    try {
      await write(
        types,
        () => rowsOf(file, scanner, signal, true),
        () => scanner.rows,
      );
      return scanner.rows;
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof Misfit) kinds = await scanAll(file, scanner.kinds, signal);
      else {
        const column = refusedColumn(thrown);
        if (column === null) throw thrown;
        if (chosen.has(column))
          throw badFile(
            `Column "${column}" has a value that is no ${chosen.get(column)}: ${(thrown as Error).message}`,
          );
        refusals += 1;
        kinds = kinds.map((kind, place) =>
          kind !== Kind.fixed && (refusals > REFUSALS || file.names[place] === column) ? Kind.text : kind,
        );
      }
    }
  }
}

async function guess(file: TextFile, chosen: PourOptions['chosen']): Promise<Kind[]> {
  const scanner = new Scanner(
    file.layout,
    file.names.map((name) => (chosen.has(name) ? Kind.fixed : Kind.none)),
  );
  const { start, isWhole } = await startOf(file.open(), GUESSED_FROM);
  scanner.push(start, isWhole);
  return scanner.kinds;
}

async function scanAll(file: TextFile, kinds: readonly Kind[], signal: AbortSignal): Promise<Kind[]> {
  const scanner = new Scanner(file.layout, kinds);
  for await (const _ of rowsOf(file, scanner, signal, false));
  return scanner.kinds;
}

/** What COPY shall read. @throws Misfit, where values must fit */
async function* rowsOf(
  file: TextFile,
  scanner: Scanner,
  signal: AbortSignal,
  mustFit: boolean,
): AsyncGenerator<Buffer> {
  let known = false; // that it is UTF-8: other characters than those of ASCII have come
  const passed = (pieces: Buffer[]): Buffer[] => {
    signal.throwIfAborted();
    if (mustFit && scanner.misfit) throw new Misfit();
    for (const piece of pieces) {
      if (!isUtf8(piece)) {
        const encoding = known ? UTF8 : encodingOf(piece, true);
        throw encoding === UTF8 ? notUtf8() : new OtherEncoding(encoding);
      }
      known ||= !isAscii(piece);
    }
    return pieces;
  };
  for await (const chunk of file.open()) yield* passed(scanner.push(chunk, false));
  yield* passed(scanner.push(Buffer.alloc(0), true));
}
