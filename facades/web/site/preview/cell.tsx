/** A value of a table. */
import { attribute, html, type Markup } from '../markup.ts';
import type { Texts } from '../texts.ts';
import type { At, Field } from './at.ts';
import { MAX_CELL } from './table-limits.ts';

const NUMBERS = new Set(['int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'money']);
export const isNumber = ({ type }: Pick<Field, 'type'>): boolean => NUMBERS.has(type);

/** A value as people read it. */
export function textOf(value: unknown, type: string): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return jsonOf(value);
  return type.startsWith('timestamp') ? String(value).replace('T', ' ') : String(value);
}

/** JSON of a value. Deeply nested values are not written out. */
function jsonOf(value: object): string {
  try {
    return JSON.stringify(value);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    return Array.isArray(value) ? '[…]' : '{…}';
  }
}

const LINK = /^https?:\/\/\S+$/i;

/** Attributes of a link to a record. Frames of other sites show previews only, so there it opens in a tab. */
export const recordLink = ({ resourcePath, isEmbedded }: At, record: string) => ({
  href: `${resourcePath}/record/${record}`,
  rel: 'nofollow',
  target: isEmbedded ? '_blank' : undefined,
});
type RecordLink = ReturnType<typeof recordLink>;

const openingOf = ({ href, rel, target }: RecordLink): Markup =>
  html`<a href="${href}" rel="${rel}"${attribute('target', target)}`;

/** The link to a whole record, as the heading of its row. */
export const headingOf = (link: RecordLink, record: string): Markup =>
  html`<th scope="row">${openingOf(link)}>${record}</a></th>`;

/** A cell of the table, with a link to the whole record if the value is cut. */
export function cellOf(field: Field, value: unknown, link: RecordLink, t: Texts['t']): Markup {
  const text = textOf(value, field.type);
  if (text.length > MAX_CELL) {
    const label = t('preview.wholeValue', { column: field.id });
    return html`<td>${text.slice(0, MAX_CELL)}${openingOf(link)} aria-label="${label}">…</a></td>`;
  }
  const content = LINK.test(text) ? html`<a href="${text}" rel="nofollow ugc">${text}</a>` : text;
  return html`<td${attribute('class', isNumber(field) ? 'number' : undefined)}>${content}</td>`;
}

/** A link in the data. */
export const Outward = ({ url }: { url: string }) => (
  <a href={url} rel="nofollow ugc">
    {url}
  </a>
);
