/** ZIP archives: what is in them, read where it stands. */
import { Readable } from 'node:stream';
import yauzl from 'yauzl';
import { badFile } from './problem.ts';
import type { Source } from './text-file.ts';

/** Files in an archive, at most: small archives can name endless ones. */
const MAX_ENTRIES = 20_000;

/** A file in an archive. */
export interface ZipEntry {
  readonly name: string;
  /** Bytes when unpacked, by the archive's own word; reading ends with an error where there are others. */
  readonly size: number;
  /** Its bytes, unpacked. @throws CatalogError VALIDATION, where it is encrypted, packed in an unknown way or of another size */
  open(): AsyncIterable<Buffer>;
}

/** The files in an archive, in its order; folders are none. `what` is what it should be, for refusals. @throws CatalogError VALIDATION */
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
          stream.on('error', () => {}); // whoever reads it is told; until then it would end the process
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
