/** Texts of pages in one language: messages, numbers and times. Components get them by `useTexts()`. */
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { type Formatters, IntlMessageFormat } from 'intl-messageformat';
import type { ComponentChildren, VNode } from 'preact';
import { type Language, MESSAGES, type Tags, type Values } from '../../../src/generated/texts.ts';
import type { Messages } from './theme-messages.ts';

/** For tests: English with an accent on each letter. A text without them is not from a message file. */
export const PSEUDO = 'en-XA';
export type Locale = Language | typeof PSEUDO;

export type Key = keyof Values;
/** Messages without tags. */
export type PlainKey = Exclude<Key, keyof Tags>;
type Arguments<K extends Key> = Record<never, never> extends Values[K] ? [] : [values: Values[K]];
type Wrap = (children: ComponentChildren) => ComponentChildren;
type RichValues<K extends Key> = { readonly [Name in keyof Values[K]]: Values[K][Name] | VNode } & (K extends keyof Tags
  ? { readonly [Tag in Tags[K]]: Wrap }
  : unknown);

export interface Texts {
  readonly locale: Locale;
  /** The attribute `lang` of elements with data; undefined if the data has the language of the page. */
  readonly dataLang: string | undefined;
  /** The same of a text that may be translated. */
  langOf(text: string | null, translated: string | null): string | undefined;
  /** Language of translations to read with data; null if the data has the language of the page. */
  readonly translation: Locale | null;
  /** The message of a key, such as `about.title`. */
  t<K extends PlainKey>(key: K, ...values: Arguments<K>): string;
  /** The same with elements: for its tags, such as `<link>…</link>`, and as values. */
  rich<K extends Key>(key: K, values: RichValues<K>): ComponentChildren;
  number(value: number): string;
  /** `1536` → `1.5 KiB`. */
  bytes(size: number): string;
  /** The day of a time, in UTC. */
  day(instant: string): string;
  /** A time in UTC, to the minute. */
  moment(instant: string): string;
  /** The month of a time, in UTC. */
  month(instant: string): string;
  /** `a, b and c`. */
  list(items: readonly string[]): string;
}

const DAY = { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' } as const;
const MONTH = { year: 'numeric', month: 'short', timeZone: 'UTC' } as const;
const MOMENT = { ...DAY, hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' } as const;
const UNITS = ['bytes', 'kib', 'mib', 'gib', 'tib', 'pib'] as const;

const made = new Map<string, Texts>();
const madeOfThemes = new WeakMap<Messages, Map<string, Texts>>();

function madeOf(messages: Messages | undefined): Map<string, Texts> {
  if (messages === undefined) return made;
  const own = madeOfThemes.get(messages) ?? new Map<string, Texts>();
  madeOfThemes.set(messages, own);
  return own;
}

/** The texts of a language, for a site whose data has the language `content`. `messages` replace those of the language. */
export function textsOf(locale: Locale, content: string = locale, messages?: Messages): Texts {
  const key = `${locale} ${content}`;
  const made = madeOf(messages);
  let texts = made.get(key);
  if (texts === undefined) {
    const own = content === locale ? createTexts(locale, messages) : textsOf(locale, locale, messages);
    const dataLang = content === locale ? undefined : content;
    texts = {
      ...own,
      dataLang,
      langOf: (text, translated) => (text === translated ? dataLang : undefined),
      translation: content === locale ? null : locale,
    };
    made.set(key, texts);
  }
  return texts;
}

function createTexts(locale: Locale, own?: Messages): Omit<Texts, 'dataLang' | 'langOf' | 'translation'> {
  const tag = locale === PSEUDO ? 'el' : locale; // Greek names of months have none of the letters that the tests look for
  const messages = messagesOf(locale, tag, own);
  const numbers = new Intl.NumberFormat(tag);
  const sizes = new Intl.NumberFormat(tag, { maximumSignificantDigits: 3 });
  const time = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(tag, options);
    return remembering((instant: string) => format.format(new Date(instant)));
  };
  const lists = new Intl.ListFormat(tag);
  const t: Texts['t'] = (key, values?: object) => {
    const message = messages(key);
    if (typeof message === 'string') return message;
    const count = countOf(values);
    return count === null ? (message.format(values as never) as string) : counted(`${count} ${key}`);
  };
  /** A message with no value but a number. */
  const counted = remembering((count: string) => {
    const at = count.indexOf(' ');
    const message = messages(count.slice(at + 1) as Key) as IntlMessageFormat;
    return message.format({ count: Number(count.slice(0, at)) }) as string;
  });
  return {
    locale,
    t,
    rich(key, values) {
      const message = messages(key);
      return typeof message === 'string' ? message : message.format(values as never);
    },
    number: remembering((value: number) => numbers.format(value)),
    bytes(size) {
      const power = Math.min(Math.floor(Math.log2(Math.max(size, 1)) / 10), UNITS.length - 1);
      const unit = UNITS[power]!;
      return unit === 'bytes'
        ? t('units.bytes', { size })
        : t(`units.${unit}`, { size: sizes.format(size / 1024 ** power) });
    },
    day: time(DAY),
    moment: time(MOMENT),
    month: time(MONTH),
    list: (items) => lists.format(items),
  };
}

/** Maximum cached texts of a function; they repeat on all pages. */
const MAX_TEXTS = 2_000;

function remembering<Value>(work: (value: Value) => string): (value: Value) => string {
  const known = new Map<Value, string>();
  return (value) => {
    let text = known.get(value);
    if (text === undefined) {
      if (known.size >= MAX_TEXTS) known.clear();
      known.set(value, (text = work(value)));
    }
    return text;
  };
}

/** The number, if it is the only value of a message. */
function countOf(values: object | undefined): number | null {
  const { count } = (values ?? {}) as { count?: unknown };
  return typeof count === 'number' && Object.keys(values!).length === 1 ? count : null;
}

type Message = string | IntlMessageFormat;

/** Reads messages on first use. A message without values is its text. A missing translation is English. */
function messagesOf(locale: Locale, tag: string, own: Messages = {}): (key: Key) => Message {
  const texts = locale === PSEUDO ? MESSAGES.en : MESSAGES[locale];
  const formatters = formattersOf();
  const read = new Map<Key, Message>();
  return (key) => {
    let message = read.get(key);
    if (message === undefined) {
      const parsed = parse(own[key] ?? texts[key] ?? MESSAGES.en[key] ?? key);
      const elements = locale === PSEUDO ? accented(parsed) : parsed;
      const [first, ...more] = elements;
      message =
        first?.type === TYPE.literal && more.length === 0
          ? first.value
          : new IntlMessageFormat(elements, tag, undefined, { formatters });
      read.set(key, message);
    }
    return message;
  };
}

/** Formatters that all messages of a language share. Messages have plain numbers and plurals only. */
function formattersOf(): Formatters {
  const numbers = new Map<string, Intl.NumberFormat>();
  const plurals = new Map<string, Intl.PluralRules>();
  const cached = <T>(cache: Map<string, T>, key: string, make: () => T): T => {
    let found = cache.get(key);
    if (found === undefined) cache.set(key, (found = make()));
    return found;
  };
  return {
    getNumberFormat: (locales, options) =>
      cached(numbers, JSON.stringify([locales, options]), () => new Intl.NumberFormat(locales, options as never)),
    getDateTimeFormat: (...options) => new Intl.DateTimeFormat(...options),
    getPluralRules: (locales, options) =>
      cached(plurals, JSON.stringify([locales, options]), () => new Intl.PluralRules(locales, options)),
  };
}

const ACCENTED = new Map(
  [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'].map((letter, index) => [
    letter,
    [...'ÀƁÇÐÉƑĜĤÎĴĶĻṀÑÕÞǪŔŠŢÛṼŴẊÝŽàƀçðéƒĝĥîĵķļɱñõþǫŕšţûṽŵẋýž'][index]!,
  ]),
);

const accented = (elements: MessageFormatElement[]): MessageFormatElement[] =>
  elements.map((element) => {
    if (element.type === TYPE.literal)
      return { ...element, value: element.value.replace(/[A-Za-z]/g, (letter) => ACCENTED.get(letter)!) };
    if (element.type === TYPE.tag) return { ...element, children: accented(element.children) };
    if (element.type !== TYPE.plural && element.type !== TYPE.select) return element;
    const options = Object.entries(element.options).map(([name, { value }]) => [name, { value: accented(value) }]);
    return { ...element, options: Object.fromEntries(options) };
  });
