/** Counts values in JSON text without parsing it: parsing hostile input can block the event loop for seconds. */

const QUOTE = 0x22;
const COMMA = 0x2c;
const LIST = 0x5b;
const BACKSLASH = 0x5c;
const END_OF_LIST = 0x5d;
const OBJECT = 0x7b;
const END_OF_OBJECT = 0x7d;
const SPACE = 0x20;

/**
 * True if a JSON text holds more than `max` values, counting members of lists and objects at all levels. For invalid
 * JSON it is true only if the parser would read as many before it fails. Skips strings.
 */
export function hasMoreValues(text: string, max: number): boolean {
  if (text.length <= max) return false; // each value takes a character, and one more to separate it from the next
  if (!/^\s*[[{]/.test(text)) return false;
  let values = 0;
  let isFirst = false; // after an opening bracket: a value unless the bracket closes
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= SPACE) continue;
    if (isFirst && code !== END_OF_LIST && code !== END_OF_OBJECT) values += 1;
    isFirst = code === LIST || code === OBJECT;
    if (code === COMMA) values += 1;
    else if (code === QUOTE) at = endOfText(text, at);
    if (values > max) return true;
  }
  return false;
}

/** True if a JSON text nests lists and objects deeper than `max` levels. Skips strings. */
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

/** Index of the quote that ends the string starting at `start`; beyond the end without one. */
function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    at += code === BACKSLASH ? 2 : 1;
  }
  return at;
}
