/** Checks messages of a theme: they may use the values and tags of the messages that they replace, and no others. Pure. */
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { LANGUAGES, type Language, MESSAGES } from '../../../src/generated/texts.ts';

/** Texts by the keys of messages. */
export type Messages = Readonly<Record<string, string>>;

const MAX_LENGTH = 5_000;
/** Keys of further messages, for templates of the theme. */
const OWN = /^own\.[\w.-]{1,100}$/;

/** Why a message cannot replace the one of its key; null if it can. */
export function messageFault(language: Language, key: string, text: unknown): string | null {
  const isOwn = OWN.test(key);
  if (!isOwn && !Object.hasOwn(MESSAGES.en, key)) return 'no message has this key';
  if (typeof text !== 'string') return 'must be a text';
  if (text.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters (got ${text.length})`;
  let used: Set<string>;
  try {
    used = usedBy(parse(text));
  } catch (thrown) {
    return `is not in ICU syntax: ${thrown instanceof Error ? thrown.message : thrown}`;
  }
  if (isOwn) {
    const styled = [...used].find((name) => name.startsWith('<') || name.includes(','));
    return styled ? `uses ${styled}; a message of a template has plain values` : null;
  }
  const replaced = [MESSAGES.en, MESSAGES[language]].map((texts) => (texts as Messages)[key] ?? '');
  const known = new Set(replaced.flatMap((message) => [...usedBy(parse(message))]));
  const unknown = [...used].filter((name) => !known.has(name));
  return unknown.length === 0
    ? null
    : `uses ${unknown.join(', ')}; the message has ${[...known].join(', ') || 'no values'}`;
}

/**
 * Values and tags of a message, as they are written. Messages have no dates, times and styled numbers: some styles, such
 * as `currency`, fail only when the message is shown.
 */
function usedBy(elements: readonly MessageFormatElement[]): Set<string> {
  const used = new Set<string>();
  for (const element of elements) {
    if (element.type === TYPE.literal || element.type === TYPE.pound) continue;
    if (element.type === TYPE.tag) used.add(`<${element.value}>`);
    else if (element.type === TYPE.date || element.type === TYPE.time) used.add(`{${element.value}, date or time}`);
    else if (element.type === TYPE.number && element.style) used.add(`{${element.value}, number with a style}`);
    else used.add(`{${element.value}}`);
    const parts =
      element.type === TYPE.tag
        ? [element.children]
        : element.type === TYPE.plural || element.type === TYPE.select
          ? Object.values(element.options).map(({ value }) => value)
          : [];
    for (const part of parts) for (const name of usedBy(part)) used.add(name);
  }
  return used;
}

/** Messages by language, where templates get the English text of a message of theirs that a language lacks. */
export function withDefaults(
  messages: Readonly<Partial<Record<Language, Messages>>>,
): Partial<Record<Language, Messages>> {
  const own = Object.entries(messages.en ?? Object.values(messages)[0] ?? {}).filter(([key]) => OWN.test(key));
  if (own.length === 0) return messages;
  return Object.fromEntries(
    LANGUAGES.map((language) => [language, { ...Object.fromEntries(own), ...messages[language] }]),
  );
}
