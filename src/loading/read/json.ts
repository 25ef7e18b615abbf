/** Reads JSON: a list of objects, or one object per line (NDJSON). Splits the bytes into objects and parses them one by one. */
import { encodingOf, toUtf8 } from './encoding.ts';
import { badFile } from './problem.ts';
import { type Rows, rowsFile } from './rows.ts';
import { MAX_RECORD_BYTES } from './scan.ts';
import { columnNames } from './sniff.ts';
import { SAMPLE, type Source, startOf, type TextFile } from './text-file.ts';

const QUOTE = 34;
const BACKSLASH = 92;
const MAX_COLUMNS = 1_500;
/** Maximum nesting. JSON.stringify recurses, so deeper values would overflow the stack. */
const MAX_DEPTH = 1_000;

/** Columns are the keys of all objects, in order of first occurrence. @throws CatalogError VALIDATION */
export async function jsonFile(source: Source): Promise<TextFile> {
  const { start, isWhole } = await startOf(await source.open(), SAMPLE);
  const encoding = encodingOf(start, isWhole);
  async function* objects() {
    yield* objectsOf(toUtf8(await source.open(), encoding));
  }
  const keys = new Set<string>();
  for await (const batch of objects())
    for (const object of batch) {
      for (const key of Object.keys(object)) keys.add(key);
      if (keys.size > MAX_COLUMNS) throw badFile(`The objects have more than ${MAX_COLUMNS} keys`);
    }
  if (keys.size === 0) throw badFile('The file must be a list of objects, with at least one key');
  const order = [...keys];
  async function* rows(): Rows {
    for await (const batch of objects()) yield valuesOf(batch, order);
  }
  return rowsFile(columnNames(order), rows);
}

/** Yields row by row: a whole batch of small objects with many columns would fill the memory. */
function* valuesOf(batch: readonly Record<string, unknown>[], keys: readonly string[]): Generator<unknown[]> {
  for (const object of batch) yield keys.map((key) => object[key]);
}

/** Objects of a list or of an NDJSON file, in batches of about one chunk. @throws CatalogError VALIDATION */
async function* objectsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Record<string, unknown>[]> {
  let rest: Buffer = Buffer.alloc(0);
  let at = 0; // position in the buffered bytes
  let start = -1; // start of the current object
  let depth = 0;
  let quoted = false;
  let base = -1; // nesting level of the objects: 1 in a list
  let count = 0;
  for await (const chunk of chunks) {
    const bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const found: Record<string, unknown>[] = [];
    for (; at < bytes.length; at += 1) {
      const code = bytes[at]!;
      if (quoted) {
        if (code === BACKSLASH) at += 1;
        else if (code === QUOTE) quoted = false;
      } else if (code === QUOTE) quoted = true;
      else if (code === 123 || code === 91) {
        if (base < 0) base = code === 91 ? 1 : 0;
        if (depth === base && start < 0) {
          if (code !== 123) throw badFile(`Item ${count + 1} is not an object`);
          start = at;
        }
        depth += 1;
        if (depth > MAX_DEPTH) throw badFile(`Object ${count + 1} is nested deeper than ${MAX_DEPTH} levels`);
      } else if (code === 125 || code === 93) {
        depth -= 1;
        if (depth !== base || start < 0) continue;
        if (at + 1 - start > MAX_RECORD_BYTES) throw tooLong(count + 1);
        found.push(objectOf(bytes.toString('utf8', start, at + 1), ++count));
        start = -1;
      } else if (start < 0 && code !== 44 && code > 32)
        throw badFile(`The value after ${count} objects is not an object`);
      if (start < 0 && quoted) throw badFile(`The value after ${count} objects is not an object`);
    }
    const restStart = start < 0 ? bytes.length : start;
    rest = bytes.subarray(restStart);
    at -= restStart;
    if (start >= 0) start = 0;
    if (rest.length > MAX_RECORD_BYTES) throw tooLong(count + 1);
    yield found;
  }
  if (start >= 0 || depth !== 0) throw badFile('The file ends unexpectedly: a list or an object is not closed');
}

const tooLong = (number: number) => badFile(`Object ${number} is longer than ${MAX_RECORD_BYTES} bytes`);

/** Finds texts that may contain numbers JavaScript cannot represent exactly. */
const MAYBE_LONG = /[\d.]{16}|\d[eE]/;
/** An unfinished text matches to the end. Otherwise the rest would be read again for each quote in it. */
const TOKENS = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|\\?$)|[[\]{}]|-?\d[\d.eE+-]*/g;

/** Converts such numbers to strings of their digits, for direct members of the object. Type detection uses the digits. */
function withExactNumbers(text: string): string {
  let depth = 0;
  return text.replace(TOKENS, (token) => {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth === 1 && token[0] !== '"' && (token.length > 15 || /e/i.test(token)) && IS_NUMBER.test(token))
      return `"${token}"`;
    return token;
  });
}
/** JSON's number syntax. Other values are unchanged, and refused later. */
const IS_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function objectOf(text: string, number: number): Record<string, unknown> {
  try {
    return JSON.parse(MAYBE_LONG.test(text) ? withExactNumbers(text) : text);
  } catch (thrown) {
    throw badFile(`Object ${number} is not JSON: ${(thrown as Error).message}`);
  }
}
