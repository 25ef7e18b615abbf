/** Lists and reads the files of a ZIP archive in place. */
import { Readable } from 'node:stream';
import yauzl from 'yauzl';
import { badFile } from './problem.ts';
import type { Source } from './text-file.ts';

/** Maximum files in an archive; a small archive can list a huge number. */
const MAX_ENTRIES = 20_000;

/** A file in an archive. */
export interface ZipEntry {
  readonly name: string;
  /** Unpacked bytes as declared by the archive. Reading fails when the actual size differs. */
  readonly size: number;
  /** Its bytes, unpacked. @throws CatalogError VALIDATION when it is encrypted, uses an unknown compression, or has another size */
  open(): AsyncIterable<Buffer>;
}

/**
 * The files of an archive in order, without folders. `what` is the expected file type, for error messages.
 * @throws CatalogError VALIDATION
 */
export async function zipEntries(source: Source, what: 'workbook' | 'ZIP archive'): Promise<ZipEntry[]> {
  const wrong = (failure: Error) => badFile(`The file is not a readable ${what}: ${failure.message}`);
  const zip = await new Promise<yauzl.ZipFile>((resolve, reject) => {
    yauzl.fromRandomAccessReader(
      new Reader(source),
      source.size,
      { lazyEntries: true, autoClose: false },
      (failure, found) => (failure ? reject(wrong(failure)) : resolve(found)),
    );
  });
  async function* bytesIn(entry: yauzl.Entry): AsyncGenerator<Buffer> {
    try {
      yield* await new Promise<Readable>((resolve, reject) => {
        zip.openReadStream(entry, (failure, stream) => {
          if (failure) return reject(failure);
          stream.on('error', () => {}); // reading the stream reports the error; without a listener it would end the process
          resolve(stream);
        });
      });
    } catch (thrown) {
      throw wrong(thrown as Error);
    }
  }
  const entries: ZipEntry[] = [];
  await new Promise<void>((resolve, reject) => {
    zip.on('entry', (entry: yauzl.Entry) => {
      if (!entry.fileName.endsWith('/'))
        entries.push({ name: entry.fileName, size: entry.uncompressedSize, open: () => bytesIn(entry) });
      if (entries.length > MAX_ENTRIES) reject(badFile(`The ${what} has more than ${MAX_ENTRIES} files`));
      else zip.readEntry();
    });
    zip.once('end', resolve);
    zip.once('error', (failure: Error) => reject(wrong(failure)));
    zip.readEntry();
  });
  return entries;
}

class Reader extends yauzl.RandomAccessReader {
  readonly source: Source;
  constructor(source: Source) {
    super();
    this.source = source;
  }
  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(bytesOf(this.source, start, end - 1));
  }
}

async function* bytesOf(source: Source, start: number, end: number): AsyncGenerator<Buffer> {
  if (end >= start) yield* await source.open({ start, end });
}
