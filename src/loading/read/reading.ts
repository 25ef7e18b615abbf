/**
 * Reads a file as rows for COPY. Guesses column kinds from the start of the file and checks them on every value. When one does not fit, it
 * scans the rest and reads the file again with kinds that fit all values, so types never depend on the order of rows.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { csvFile } from './csv.ts';
import { encodingOf, UTF8 } from './encoding.ts';
import type { Format, TableFormat } from './formats.ts';
import { jsonFile } from './json.ts';
import { Kind } from './kinds.ts';
import { type Limits, tableLimit } from './limits.ts';
import { notUtf8 } from './problem.ts';
import { Scanner } from './scan.ts';
import { type Source, startOf, type TextFile } from './text-file.ts';
import { unpacked } from './unpack.ts';
import { xlsxFile } from './xlsx.ts';

export interface ReadingOptions {
  readonly format: Format;
  /** Enabled formats (catalog.loading.formats). */
  readonly formats: readonly string[];
  readonly limits: Limits;
  /** Columns whose type the data dictionary sets. */
  readonly chosen: readonly string[];
}

/** Description of the file, as far as it was read. */
export interface Described {
  readonly names: readonly string[];
  readonly delimiter: string;
  /** Kind per column, over all values read so far. */
  readonly kinds: readonly Kind[];
}

/** A file being read into a table. */
export interface Reading {
  /** Changes after `rows` has returned null. */
  readonly described: Described;
  /**
   * Bytes for COPY with these column kinds. Returns the number of rows, or null when a value did not fit or the encoding differs from the
   * start of the file. In that case, start again with the updated `described`.
   * @throws CatalogError VALIDATION, LIMIT
   */
  rows(kinds: readonly Kind[]): AsyncGenerator<Buffer, number | null>;
  close(): Promise<void>;
}

/** Bytes of the file used to guess the kinds. */
const GUESSED_FROM = 4 * 2 ** 20;
/** Maximum bytes per output chunk. */
const PIECE = 256 * 1024;

/** The encoding differs from the one detected at the start of the file. */
class OtherEncoding extends Error {
  readonly encoding: string;
  constructor(encoding: string) {
    super(`the file is in ${encoding}`);
    this.encoding = encoding;
  }
}

/** A value did not fit the guessed kind. */
class Misfit extends Error {}

/** @throws CatalogError VALIDATION, LIMIT */
export async function openReading(given: Source, options: ReadingOptions): Promise<Reading> {
  const { format: said, formats, limits, chosen } = options;
  const { source, format, close } = await unpacked(given, said, formats, limits.fileBytes);
  const isChosen = new Set(chosen);
  let file = await textFile(format, source);
  let kinds = await guess();

  async function guess(): Promise<Kind[]> {
    const expected = file.names.map((name) => (isChosen.has(name) ? Kind.fixed : Kind.none));
    const scanner = new Scanner(file.layout, expected);
    const { start, isWhole } = await startOf(file.open(), GUESSED_FROM);
    for (const _ of scanner.pushAll(start, isWhole));
    return scanner.kinds;
  }

  async function* rowsOf(scanner: Scanner, mustFit: boolean): AsyncGenerator<Buffer> {
    const checked = checkOf(scanner, mustFit, tableLimit(limits, given.size));
    for await (const chunk of file.open()) for (const pieces of scanner.pushAll(chunk, false)) yield* checked(pieces);
    for (const pieces of scanner.pushAll(Buffer.alloc(0), true)) yield* checked(pieces);
  }

  /** Updates the description from a failure, before the file is read again. @throws any other failure */
  async function learn(thrown: unknown, seen: readonly Kind[]): Promise<void> {
    if (thrown instanceof OtherEncoding) {
      file = await textFile(format, source, thrown.encoding);
      kinds = await guess();
      return;
    }
    if (!(thrown instanceof Misfit)) throw thrown;
    const scanner = new Scanner(file.layout, seen);
    try {
      for await (const _ of rowsOf(scanner, false));
      kinds = scanner.kinds;
    } catch (other) {
      await learn(other, seen);
    }
  }

  return {
    get described() {
      return { names: file.names, delimiter: String.fromCharCode(file.layout.delimiter), kinds };
    },
    async *rows(expected) {
      const scanner = new Scanner(file.layout, expected);
      try {
        yield* inPieces(rowsOf(scanner, true));
        return scanner.rows;
      } catch (thrown) {
        await learn(thrown, scanner.kinds);
        return null;
      }
    },
    close,
  };
}

/** Checks what a scanner returns: kinds, encoding and size. */
function checkOf(scanner: Scanner, mustFit: boolean, checkSize: ReturnType<typeof tableLimit>) {
  let size = 0;
  let known = false; // whether non-ASCII characters have confirmed UTF-8
  return (pieces: Buffer[]): Buffer[] => {
    if (mustFit && scanner.misfit) throw new Misfit();
    for (const piece of pieces) {
      size += piece.length;
      if (!isUtf8(piece)) {
        const encoding = known ? UTF8 : encodingOf(piece, true);
        throw encoding === UTF8 ? notUtf8() : new OtherEncoding(encoding);
      }
      known ||= !isAscii(piece);
    }
    checkSize(size, scanner.rows);
    return pieces;
  };
}

async function textFile(format: TableFormat, source: Source, encoding?: string): Promise<TextFile> {
  if (format === 'csv' || format === 'tsv') return csvFile(source, format === 'tsv', encoding);
  if (format === 'xlsx') return xlsxFile(source);
  if (format !== 'parquet') return jsonFile(source);
  const { parquetFile } = await import('./parquet.ts'); // lazy: importing it takes half the start time of the process
  return parquetFile(source);
}

/** Merges small chunks and splits large ones. Rewritten records arrive one by one, and a single one can be large. */
async function* inPieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    const isSmall = chunk.length < PIECE / 2;
    if (size > 0 && (!isSmall || size + chunk.length > PIECE)) {
      yield Buffer.concat(held);
      held = [];
      size = 0;
    }
    if (isSmall) {
      held.push(Buffer.from(chunk)); // a copy, because it may be a small view of a large buffer
      size += chunk.length;
    } else for (let at = 0; at < chunk.length; at += PIECE) yield chunk.subarray(at, at + PIECE);
  }
  if (size > 0) yield Buffer.concat(held);
}
