/** Texts in XML documents. */

/** Characters invalid in XML. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** A text that XML can hold: invalid characters and split surrogate pairs become U+FFFD. */
export const writable = (text: string): string => text.toWellFormed().replace(UNWRITABLE, '\ufffd');

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/** Valid in text and in attributes. */
export const escaped = (text: string): string => writable(text).replace(/[&<>"\r]/g, (sign) => ESCAPES[sign]!);

/** An element. `content`: a text, which is escaped, or elements. Empty without content. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string>> = {},
  content: string | readonly string[] = [],
): string {
  const start = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  const inner = typeof content === 'string' ? escaped(content) : content.join('');
  return inner === '' ? `<${name}${start.join('')}/>` : `<${name}${start.join('')}>${inner}</${name}>`;
}

export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
