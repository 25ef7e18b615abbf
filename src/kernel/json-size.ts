/** How much a JSON text holds, told without parsing it: the parser takes seconds for what nobody sends in earnest. */

const QUOTE = 0x22;
const COMMA = 0x2c;
const LIST = 0x5b;
const BACKSLASH = 0x5c;
const END_OF_LIST = 0x5d;
const OBJECT = 0x7b;
const END_OF_OBJECT = 0x7d;
const SPACE = 0x20;

/**
 * True where a JSON text holds more than `most` values: what its lists and objects hold, at all levels. Of a text that is no JSON
 * it is true at most where the parser would read as many before it fails. Texts inside are skipped, whatever they hold.
 */
export function hasMoreValues(text: string, most: number): boolean {
  if (text.length <= most) return false; // a value takes a character, and one more to part it from the next
  if (!/^\s*[[{]/.test(text)) return false;
  let values = 0;
  let isFirst = false; // behind an opening bracket: a value unless the bracket closes
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) continue;
    if (isFirst && code !== END_OF_LIST && code !== END_OF_OBJECT) values += 1;
    isFirst = code === LIST || code === OBJECT;
    if (code === COMMA) values += 1;
    else if (code === QUOTE) at = endOfText(text, at);
    if (values > most) return true;
  }
  return false;
}

/** True where a JSON text nests lists and objects deeper than `max` levels. Texts inside are skipped. */
export function isDeeper(text: string, max: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    else if (code === LIST || code === OBJECT) depth += 1;
    else if (code === END_OF_LIST || code === END_OF_OBJECT) depth -= 1;
    if (depth > max) return true;
  }
  return false;
}

/** Place of the quote that ends the text which begins at `start`; behind the end where none does. */
function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    at += code === BACKSLASH ? 2 : 1;
  }
  return at;
}
