/** Guards against entity expansion in RDF/XML: a small file could expand into a huge one. */
import { SourceError } from '../web.ts';

/** Maximum bytes before the root element, which are checked before the parser reads them. */
const MAX_HEAD_BYTES = 64 * 1024;
/** Maximum bytes of a document that declares entities. */
const MAX_BYTES = 8 * 2 ** 20;
/** A short quoted text without entity references or external sources. */
const ENTITY = `<!ENTITY\\s+[^\\s"'%<>&]+\\s+(?:"[^"&%<>]{0,200}"|'[^'&%<>]{0,200}')\\s*>`;
/** Up to a hundred such entities and nothing else. */
const DOCTYPE = new RegExp(`^<!DOCTYPE\\s+[^\\s<>[\\]"']+\\s*(?:\\[\\s*(?:${ENTITY}\\s*){0,100}\\]\\s*)?>`);

/** Passes on an XML document whose declarations are harmless. @throws SourceError */
export async function* guarded(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] | null = [];
  let max = Number.POSITIVE_INFINITY;
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (held) {
      held.push(chunk);
      const found = typeOf(headOf(held));
      if (found === 'unknown' && size <= MAX_HEAD_BYTES) continue;
      if (found === 'unknown') throw refusal();
      if (found === 'declared') max = MAX_BYTES;
      yield* held;
      held = null;
    } else yield chunk;
    if (size > max) throw new SourceError('XML with entity declarations must have at most 8 MiB');
  }
  if (held && headOf(held).includes('<!DOCTYPE')) throw refusal();
  yield* held ?? [];
}

const refusal = () =>
  new SourceError(
    `The XML prolog is longer than ${MAX_HEAD_BYTES / 1024} KiB, or its DOCTYPE contains anything else than up to 100 entities of short plain text`,
  );

/**
 * The start as text. All significant characters are single bytes, so UTF-16 is read by dropping its zeros. Removes comments and processing
 * instructions.
 */
const headOf = (chunks: readonly Buffer[]): string =>
  Buffer.concat(chunks)
    .subarray(0, MAX_HEAD_BYTES)
    .toString('latin1')
    .replaceAll('\0', '')
    .replace(/<!--.*?(?:-->|$)|<\?.*?(?:\?>|$)/gs, '')
    .replace(/^[^<]+/, '');

/** Whether the document has declarations; unknown until enough was read. */
function typeOf(head: string): 'declared' | 'nothing' | 'unknown' {
  if (/^<[^!?]/.test(head)) return 'nothing';
  const declared = DOCTYPE.exec(head)?.[0];
  return declared === undefined ? 'unknown' : declared.includes('<!ENTITY') ? 'declared' : 'nothing';
}
