/** Parses workbook parts element by element. */
import { SaxesParser } from 'saxes';
import { badFile } from './problem.ts';

/** Maximum characters without a tag, because the parser buffers them. */
const MAX_HELD_LENGTH = 10_000_000;

type Open = (name: string, attributes: Record<string, string>) => void;

/** Visits the elements of a part, by names without prefixes. @throws CatalogError VALIDATION */
export async function walk(
  chunks: AsyncIterable<Buffer>,
  open: Open,
  close: (name: string) => void = () => {},
  text: (text: string) => void = () => {},
): Promise<void> {
  const feed = elements(open, close, text);
  for await (const chunk of chunks) feed(chunk);
}

/** The same for chunks pushed one at a time. */
export function elements(
  open: Open,
  close: (name: string) => void,
  text: (text: string) => void,
): (chunk: Buffer) => void {
  const parser = new SaxesParser();
  const decoder = new TextDecoder();
  let held = 0;
  const plain = (name: string) => name.slice(name.indexOf(':') + 1);
  parser.on('opentag', (tag) => {
    held = 0;
    open(plain(tag.name), tag.attributes as Record<string, string>);
  });
  parser.on('closetag', (tag) => {
    held = 0;
    close(plain(tag.name));
  });
  parser.on('text', text);
  parser.on('error', (failure) => {
    throw badFile(`The workbook cannot be read: ${failure.message}`);
  });
  return (chunk) => {
    const piece = decoder.decode(chunk, { stream: true });
    held += piece.length;
    parser.write(piece);
    if (held > MAX_HELD_LENGTH + piece.length)
      throw badFile(`The workbook has ${MAX_HELD_LENGTH} characters without an XML element`);
  };
}
