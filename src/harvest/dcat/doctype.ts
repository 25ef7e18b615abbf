/** RDF/XML may name pieces of text and say the names over and over: a small file would become a large one. */
import { SourceError } from '../web.ts';

/** What stands before the root element, at most; it is looked at before the parser sees any of it. */
const MAX_HEAD_BYTES = 64 * 1024;
/** Bytes of a document that names pieces of text. */
const MAX_BYTES = 8 * 2 ** 20;
/** A short text in quotes, without another name in it, and from nowhere else. */
const ENTITY = `<!ENTITY\\s+[^\\s"'%<>&]+\\s+(?:"[^"&%<>]{0,200}"|'[^'&%<>]{0,200}')\\s*>`;
/** Nothing but up to a hundred of these. */
const DOCTYPE = new RegExp(`^<!DOCTYPE\\s+[^\\s<>[\\]"']+\\s*(?:\\[\\s*(?:${ENTITY}\\s*){0,100}\\]\\s*)?>`);

/** Passes a document of XML on, where what it declares is harmless. @throws SourceError */
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

const refusal = () => new SourceError('The XML prolog is too long, or declares entities other than short plain texts');

/** Every sign that counts here is one byte; UTF-16 reads the same without its zeros. Comments and instructions say nothing. */
const headOf = (chunks: readonly Buffer[]): string =>
  Buffer.concat(chunks)
    .subarray(0, MAX_HEAD_BYTES)
    .toString('latin1')
    .replaceAll('\0', '')
    .replace(/<!--.*?(?:-->|$)|<\?.*?(?:\?>|$)/gs, '')
    .replace(/^[^<]+/, '');

/** What the document declares; unknown while that cannot be said yet. */
function typeOf(head: string): 'declared' | 'nothing' | 'unknown' {
  if (/^<[^!?]/.test(head)) return 'nothing';
  const declared = DOCTYPE.exec(head)?.[0];
  return declared === undefined ? 'unknown' : declared.includes('<!ENTITY') ? 'declared' : 'nothing';
}
