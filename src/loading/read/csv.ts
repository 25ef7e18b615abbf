/** Opens CSV and TSV files: detects encoding, delimiter and header. */
import { encodingOf, isMarkedUtf8, toUtf8 } from './encoding.ts';
import { notUtf8 } from './problem.ts';
import { sniffCsv } from './sniff.ts';
import { SAMPLE, type Source, startOf, type TextFile } from './text-file.ts';

/** `encoding` is the one detected by an earlier pass. @throws CatalogError VALIDATION */
export async function csvFile(source: Source, tabs: boolean, encoding?: string): Promise<TextFile> {
  const { start, isWhole } = await startOf(await source.open(), SAMPLE);
  if (encoding !== undefined && isMarkedUtf8(start)) throw notUtf8();
  const known = encoding ?? encodingOf(start, isWhole);
  async function* open() {
    yield* toUtf8(await source.open(), known);
  }
  const text = (await startOf(toUtf8(once(start), known), Number.MAX_SAFE_INTEGER)).start.toString('utf8');
  const { delimiter, skip, names } = sniffCsv(text, isWhole, tabs);
  return { open, names, layout: { delimiter: delimiter.charCodeAt(0), width: names.length, skip, nested: false } };
}

async function* once(chunk: Buffer): AsyncGenerator<Buffer> {
  yield chunk;
}
