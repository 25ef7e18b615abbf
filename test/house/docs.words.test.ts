/** The pages that people read are in plain words: no retired word, no long line, few long sentences. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';
import { MAX_WORDS, proseOf, retiredIn, sentencesOf, wordCount } from './words.ts';

/** Pages that a program writes from other texts: those texts are checked where they stand. */
const GENERATED = ['docs/actions.md', 'docs/graph.md', 'docs/schema.md', 'docs/settings.md'];
/** Pages that are still to be rewritten, and when. */
const LATER: Readonly<Record<string, string>> = {
  'docs/ARCHITECTURE.md': 'its table of folders, with the new layout',
};
const MAX_LINE = 120;
/** Share of sentences that may be longer than MAX_WORDS. */
const MAX_LONG = 0.02;

/** Uses of retired words that stay, by page and name: why. */
const ALLOWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {};

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(projectRoot, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((path) => `docs/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md') && !GENERATED.includes(path) && !path.startsWith('docs/graph/')),
]
  .filter((page) => !Object.hasOwn(LATER, page))
  .sort();
const textOf = (page: string): string => readFileSync(join(projectRoot, page), 'utf8');

it('finds the pages, and each exception is needed', () => {
  expect(pages.length).toBeGreaterThan(40);
  const needed = Object.entries(ALLOWED).flatMap(([page, names]) =>
    Object.keys(names).map((name) => `${page}: ${name}`),
  );
  const used = pages.flatMap((page) => retiredIn(proseOf(textOf(page))).map(({ name }) => `${page}: ${name}`));
  expect(needed.filter((name) => !used.includes(name))).toEqual([]);
  expect(Object.keys(LATER).filter((page) => retiredIn(proseOf(textOf(page))).length === 0)).toEqual([]);
});

describe.each(pages)('%s', (page) => {
  const text = textOf(page);
  const prose = proseOf(text);

  it('has no retired word', () => {
    const found = retiredIn(prose).filter(({ name }) => !Object.hasOwn(ALLOWED[page] ?? {}, name));
    expect(found.map(({ name, text: where }) => `${name}: ${where}`)).toEqual([]);
  });

  it('has no semicolon between sentences', () => {
    expect(prose.split('\n').filter((line) => /\p{L}[)`"*]*; /u.test(line))).toEqual([]);
  });

  it(`has no line of prose over ${MAX_LINE} characters`, () => {
    const lines = text.split('\n').filter((line, at) => line.length > MAX_LINE && prose.split('\n')[at] !== '');
    expect(lines.filter((line) => !/^\s*\||\]\([^)]*\)[.,)]*$|^!\[|<https?:/.test(line))).toEqual([]);
  });
});

it(`has few sentences of more than ${MAX_WORDS} words`, () => {
  const sentences = pages.flatMap((page) => sentencesOf(proseOf(textOf(page))).map((text) => ({ page, text })));
  const long = sentences.filter(({ text }) => wordCount(text) > MAX_WORDS);
  expect(sentences.length).toBeGreaterThan(1_000);
  if (long.length > sentences.length * MAX_LONG)
    expect(long.map(({ page, text }) => `${page}: ${wordCount(text)} words: ${text}`)).toEqual([]);
});
