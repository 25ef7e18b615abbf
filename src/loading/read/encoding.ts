/** Detects the encoding of a text file and converts it to UTF-8. */
import { isUtf8 } from 'node:buffer';
import { analyse } from 'chardet';
import iconv from 'iconv-lite';

export const UTF8 = 'utf-8';
/** Byte order marks, longest first. */
const MARKS: readonly (readonly [Buffer, string])[] = [
  [Buffer.from([0xef, 0xbb, 0xbf]), UTF8],
  [Buffer.from([0xff, 0xfe]), 'utf-16le'],
  [Buffer.from([0xfe, 0xff]), 'utf-16be'],
];

/** Encodings accepted from chardet. It confuses others with each other in short texts. */
const KNOWN: Readonly<Record<string, string>> = {
  Shift_JIS: 'shift_jis',
  'EUC-JP': 'euc-jp',
  'EUC-KR': 'euc-kr',
  Big5: 'big5',
  GB18030: 'gb18030',
  'KOI8-R': 'koi8-r',
  'windows-1250': 'windows-1250',
  'windows-1251': 'windows-1251',
  'windows-1253': 'windows-1253',
  'ISO-8859-2': 'iso-8859-2',
  'ISO-8859-5': 'iso-8859-5',
  'ISO-8859-7': 'iso-8859-7',
  'UTF-16LE': 'utf-16le',
  'UTF-16BE': 'utf-16be',
};

/**
 * Encoding of a file from a sample: by its byte order mark, UTF-8 when valid, a statistical guess, or windows-1252. `isWhole`: the sample
 * does not end inside a character.
 */
export function encodingOf(sample: Buffer, isWhole: boolean): string {
  const marked = MARKS.find(([mark]) => sample.subarray(0, mark.length).equals(mark));
  if (marked) return marked[1];
  if (isUtf8(isWhole ? sample : withoutCut(sample)) || isBrokenUtf8(sample)) return UTF8;
  const japanese = (['euc-jp', 'shift_jis'] as const).find((name) => isJapanese(sample, name));
  if (japanese) return japanese;
  const [best] = analyse(sample).filter(({ name }) => name !== 'UTF-8');
  return (best && best.confidence >= 10 && KNOWN[best.name]) || 'windows-1252';
}

/**
 * Whether the bytes are Japanese text in this encoding: all of them decode, into Japanese characters. chardet's word statistics fail on
 * tables, which consist of short names and numbers.
 */
function isJapanese(sample: Buffer, encoding: 'euc-jp' | 'shift_jis'): boolean {
  const lastLine = sample.lastIndexOf(10);
  const text = readAs(encoding, lastLine > 0 ? sample.subarray(0, lastLine) : sample);
  const foreign = text?.match(/[\u0080-\uffff]/g)?.join('') ?? '';
  const share = (characters: RegExp): number => (foreign.match(characters)?.length ?? 0) / Math.max(foreign.length, 1);
  if (share(/[\u3000-\u30ff\u4e00-\u9fa0\uff01-\uff5e]/g) < 0.95) return false;
  if (share(/[\u3041-\u30ff]/g) > 0.01) return true;
  // Text without kana needs more evidence: Chinese and Korean resemble EUC-JP, and accented letters resemble rare characters of Shift_JIS.
  const leads = sample.filter((byte) => byte >= 0x81 && byte <= 0x9f).length;
  return encoding === 'shift_jis' && leads > foreign.length * 0.6;
}

/** Null for bytes that are invalid in this encoding. */
function readAs(encoding: string, bytes: Buffer): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** Removes an incomplete character at the end of a sample. */
function withoutCut(sample: Buffer): Buffer {
  for (let at = sample.length - 1; at >= 0 && at >= sample.length - 3; at -= 1) {
    if (sample[at]! >= 0xc0) return sample.subarray(0, at);
    if (sample[at]! < 0x80) break;
  }
  return sample;
}

/** Whether a text is UTF-8 except for a few bytes. Valid multi-byte sequences are rare in all other encodings. */
function isBrokenUtf8(sample: Buffer): boolean {
  const text = sample.toString('utf8');
  const broken = count(text, /\ufffd/g);
  return count(text, /[\u00a0-\ufffc\u{10000}-\u{10ffff}]/gu) >= 4 * broken;
}

const count = (text: string, what: RegExp): number => {
  let n = 0;
  for (const _ of text.matchAll(what)) n += 1;
  return n;
};

/** Whether a file starts with the byte order mark of UTF-8. */
export const isMarkedUtf8 = (start: Buffer): boolean => start.subarray(0, 3).equals(MARKS[0]![0]);

/** The text in UTF-8, without a byte order mark. */
export async function* toUtf8(source: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  if (encoding === UTF8) return yield* withoutMark(source);
  const decoder = iconv.getDecoder(encoding);
  for await (const chunk of source) yield Buffer.from(decoder.write(chunk), 'utf8');
  yield Buffer.from(decoder.end() ?? '', 'utf8');
}

async function* withoutMark(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const [[mark]] = MARKS as [readonly [Buffer, string]];
  let isFirst = true;
  for await (const chunk of source) {
    yield isFirst && chunk.subarray(0, mark.length).equals(mark) ? chunk.subarray(mark.length) : chunk;
    isFirst = false;
  }
}
