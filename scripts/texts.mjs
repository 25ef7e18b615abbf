/** Makes src/generated/texts.ts of the message files of pages: all messages, and types of their keys, values and tags. */
import { parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { filesBelow, readOr } from './stamp.mjs';

/** Files of messages: `<language>/<area>.json`. */
export const TEXTS = 'facades/web/site/texts';
/** The language that defines keys and values. */
export const SOURCE = 'en';

/** Language → key (`<area>.<name>`) → message in ICU syntax. @throws Error naming file and key */
export function readTexts() {
  const texts = { [SOURCE]: {} };
  for (const file of filesBelow(TEXTS, (name) => name.endsWith('.json'))) {
    const [language, area] = file.slice(TEXTS.length + 1, -'.json'.length).split('/');
    const messages = parsed(file);
    texts[language] ??= {};
    for (const [name, message] of Object.entries(messages)) {
      if (!/^[a-zA-Z][a-zA-Z0-9_]*$/.test(name) || typeof message !== 'string')
        throw new Error(`${file}: ${name} must be a name of letters, digits and _, with a text`);
      valuesOf(message, `${file}: ${name}`);
      texts[language][`${area}.${name}`] = message;
    }
  }
  return texts;
}

function parsed(file) {
  try {
    return JSON.parse(readOr(file, ''));
  } catch (thrown) {
    throw new Error(`${file}: ${thrown.message}`);
  }
}

/** Names in a message: values with their types, and tags. @throws Error naming `where` */
export function valuesOf(message, where = message) {
  const values = {};
  const tags = new Set();
  const visit = (elements) => {
    for (const element of elements) {
      if (element.type === TYPE.argument) values[element.value] ??= 'string | number';
      if (element.type === TYPE.number || element.type === TYPE.plural) values[element.value] = 'number';
      if (element.type === TYPE.select) values[element.value] = selected(Object.keys(element.options));
      if (element.type === TYPE.date || element.type === TYPE.time)
        throw new Error(`${where}: write times by the functions of useTexts(), and insert them as {value}`);
      if (element.type === TYPE.tag) tags.add(element.value);
      if (element.children) visit(element.children);
      for (const { value } of Object.values(element.options ?? {})) visit(value);
    }
  };
  try {
    visit(parse(message, { requiresOtherClause: true }));
  } catch (thrown) {
    throw new Error(`${where}: ${thrown.message} in “${message}”`);
  }
  return { values, tags: [...tags].sort() };
}

/** A choice among names. `other` stands for any text, unless it is the only one not named. */
const selected = (names) =>
  [...names.filter((name) => name !== 'other').map((name) => `'${name}'`), '(string & {})'].join(' | ');

/** Text of src/generated/texts.ts. */
export function textsModule() {
  const texts = readTexts();
  const source = Object.entries(texts[SOURCE]);
  const named = source.map(([key, message]) => [key, valuesOf(message)]);
  const typed = (values) =>
    Object.entries(values)
      .map(([name, type]) => `${name}: ${type}`)
      .join('; ');
  return [
    '/** Made of facades/web/site/texts by scripts/texts.mjs. */',
    `export const LANGUAGES = ${JSON.stringify([SOURCE, ...Object.keys(texts).filter((it) => it !== SOURCE)])} as const;`,
    'export type Language = (typeof LANGUAGES)[number];',
    '/** Values of each message. */',
    'export interface Values {',
    ...named.map(([key, { values }]) => `  '${key}': { ${typed(values)} };`),
    '}',
    '/** Tags of each message that has some. */',
    'export interface Tags {',
    ...named
      .filter(([, { tags }]) => tags.length > 0)
      .map(([key, { tags }]) => `  '${key}': ${tags.map((tag) => `'${tag}'`).join(' | ')};`),
    '}',
    'type Messages = Readonly<Partial<Record<keyof Values, string>>>;',
    `export const MESSAGES: Readonly<Record<Language, Messages>> = ${JSON.stringify(texts, null, 1)};`,
    '',
  ].join('\n');
}
