/** Message files of pages: every language has the keys of English, with the same values and tags. */
import { expect, it } from '@jest/globals';
// @ts-expect-error: a script without types
import { readTexts, valuesOf } from '../../scripts/texts.mjs';

const texts: Record<string, Record<string, string>> = readTexts();
const english = texts.en!;
const others = Object.keys(texts).filter((language) => language !== 'en');

/** Plural forms that a language requires. */
const formsOf = (language: string): string[] => new Intl.PluralRules(language).resolvedOptions().pluralCategories;

it('has four languages', () => {
  expect(others.sort()).toEqual(['de', 'fr', 'ja']);
  expect(Object.keys(english).length).toBeGreaterThan(20);
});

it.each(others)('%s has all keys, and no others', (language) => {
  const has = Object.keys(texts[language]!);
  expect({
    missing: Object.keys(english).filter((key) => !has.includes(key)),
    unknown: has.filter((key) => !(key in english)),
  }).toEqual({ missing: [], unknown: [] });
});

it.each(others)('%s has the values and tags of English', (language) => {
  const named = (message: string) => {
    const { values, tags } = valuesOf(message);
    return { values: Object.keys(values).sort(), tags };
  };
  for (const [key, message] of Object.entries(texts[language]!))
    expect([key, named(message)]).toEqual([key, named(english[key]!)]);
});

it.each(Object.keys(texts))('has the plural forms of %s', (language) => {
  const rare = ['many', 'zero']; // French uses `many` for millions
  const wanted = formsOf(language).filter((form) => !rare.includes(form));
  for (const [key, message] of Object.entries(texts[language]!))
    for (const [, forms] of message.matchAll(/\{\w+, plural, ((?:[^{}]|\{[^{}]*\})*)\}/g)) {
      const has = [...forms!.matchAll(/(=?\w+) \{/g)].map(([, form]) => form!).filter((form) => !form.startsWith('='));
      expect([key, has.filter((form) => !wanted.includes(form))]).toEqual([key, []]);
      expect([key, wanted.filter((form) => !has.includes(form))]).toEqual([key, []]);
    }
});

it('has no empty text, and no text with surrounding spaces', () => {
  for (const [language, messages] of Object.entries(texts))
    for (const [key, message] of Object.entries(messages))
      expect([language, key, message !== '' && message === message.trim()]).toEqual([language, key, true]);
});
