/**
 * Builds HTML from texts and escaped values: for parts that repeat often on a page, because elements cost several times as much CPU. The
 * bytes are those of the same elements.
 */
import type { VNode } from 'preact';
import { jsxTemplate } from 'preact/jsx-runtime';

/** HTML. Only this file makes it, so a value from outside is never taken for it. */
class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type { Markup };

type Value = Markup | string | number | null | undefined | false;

const SIGNS: Readonly<Record<string, string>> = { '"': '&quot;', '&': '&amp;', '<': '&lt;' };
const escaped = (text: string): string => (/["&<]/.test(text) ? text.replace(/["&<]/g, (sign) => SIGNS[sign]!) : text);

function textOf(value: Value | readonly Value[]): string {
  if (typeof value === 'string') return escaped(value);
  if (value instanceof Markup) return value.text;
  if (value === null || value === undefined || value === false) return '';
  return typeof value === 'number' ? String(value) : value.map(textOf).join('');
}

/** Template tag: its texts are HTML, and values are escaped unless they are HTML. Quoted attributes can have values, too. */
export function html(texts: TemplateStringsArray, ...values: readonly (Value | readonly Value[])[]): Markup {
  let all = texts[0]!;
  for (let index = 0; index < values.length; index += 1) all += textOf(values[index]) + texts[index + 1]!;
  return new Markup(all);
}

/** ` name="value"`, to follow the name of an element; nothing if the value is undefined. */
export const attribute = (
  name: 'aria-current' | 'aria-label' | 'class' | 'lang' | 'placeholder' | 'target' | 'value',
  value: string | undefined,
) => (value === undefined ? null : new Markup(` ${name}="${escaped(value)}"`));

/** A sign for an element among the values of a message. No text has it. */
export const SLOT = '\u0000';

/** A message with an element at each SLOT. */
export const filled = (message: string, element: Markup): Markup =>
  new Markup(message.split(SLOT).map(escaped).join(element.text));

/** The same with elements among the values, as an element. */
export const view = (texts: TemplateStringsArray, ...values: readonly (Value | VNode | readonly VNode[])[]): VNode =>
  jsxTemplate([...texts], ...values.map((value) => (isElement(value) ? value : textOf(value as Value))));

/** HTML of a theme's template, which was checked, with values between its texts. */
export const ownHtml = (texts: readonly string[], values: readonly (Value | VNode | readonly VNode[])[]): VNode =>
  view(texts as unknown as TemplateStringsArray, ...values);

const isElement = (value: unknown): value is VNode =>
  typeof value === 'object' && value !== null && !(value instanceof Markup);

/** HTML as an element of a page. */
export const elementOf = (...parts: readonly Markup[]): VNode => jsxTemplate([parts.map(({ text }) => text).join('')]);
