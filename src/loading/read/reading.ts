/**
 * A file as rows for COPY: kinds of columns are guessed from its beginning and checked in every value. Where one does not fit, the rest is
 * scanned, and the file read again with kinds that fit all: a type is never a matter of which rows came first.
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
  /** Those that are loaded (catalog.loading.formats). */
  readonly formats: readonly string[];
  readonly limits: Limits;
  /** Names of columns whose types people have chosen. */
  readonly chosen: readonly string[];
}

/** What a file is, as far as it has been read. */
export interface Described {
  readonly names: readonly string[];
  readonly delimiter: string;
  /** Of each column, over what was read so far. */
  readonly kinds: readonly Kind[];
}

/** A file that is read into a table. */
export interface Reading {
  /** Another one after `rows` that answered null. */
  readonly described: Described;
  /**
   * What COPY shall read where columns are of these kinds. Answers the number of rows; null where a value did not fit, or the file is in
   * another encoding than its beginning: begin again, with what `described` is by then. @throws CatalogError VALIDATION, LIMIT
   */
  rows(kinds: readonly Kind[]): AsyncGenerator<Buffer, number | null>;
  close(): Promise<void>;
}

/** Bytes from which kinds are guessed. */
const GUESSED_FROM = 4 * 2 ** 20;
/** Bytes that are handed on at a time, at most. */
const PIECE = 256 * 1024;

/** The file is not in the encoding that its beginning was in. */
class OtherEncoding extends Error {
  readonly encoding: string;
  constructor(encoding: string) {
    super(`the file is in ${encoding}`);
    this.encoding = encoding;
  }
}

/** Some value was of another kind than was guessed. */
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
    const check = tableLimit(limits, given.size);
    let size = 0;
    let known = false; // that it is UTF-8: other characters than those of ASCII have come
    const passed = (pieces: Buffer[]): Buffer[] => {
      if (mustFit && scanner.misfit) throw new Misfit();
      for (const piece of pieces) {
        size += piece.length;
        if (!isUtf8(piece)) {
          const encoding = known ? UTF8 : encodingOf(piece, true);
          throw encoding === UTF8 ? notUtf8() : new OtherEncoding(encoding);
        }
        known ||= !isAscii(piece);
      }
      check(size, scanner.rows);
      return pieces;
    };
    for await (const chunk of file.open()) for (const pieces of scanner.pushAll(chunk, false)) yield* passed(pieces);
    for (const pieces of scanner.pushAll(Buffer.alloc(0), true)) yield* passed(pieces);
  }

  /** What a failure says of the file, for reading it again. @throws any other failure */
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

async function textFile(format: TableFormat, source: Source, encoding?: string): Promise<TextFile> {
  if (format === 'csv' || format === 'tsv') return csvFile(source, format === 'tsv', encoding);
  if (format === 'xlsx') return xlsxFile(source);
  if (format !== 'parquet') return jsonFile(source);
  const { parquetFile } = await import('./parquet.ts'); // it takes half of the time in which a program starts
  return parquetFile(source);
}

/** Small ones together, great ones in parts: records that are written anew come one by one, and one may have many bytes. */
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
      held.push(Buffer.from(chunk)); // a copy: it may be a small part of what was read
      size += chunk.length;
    } else for (let at = 0; at < chunk.length; at += PIECE) yield chunk.subarray(at, at + PIECE);
  }
  if (size > 0) yield Buffer.concat(held);
}
