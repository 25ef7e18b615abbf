/** The pages that people read are in plain words: no retired word, no long line, few long sentences. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';
import { blocksOf, MAX_WORDS, proseOf, retiredIn, sentencesOf, wordCount } from './words.ts';

/** Pages that a program writes from other texts. Tests of those texts check their words. */
const GENERATED = /^docs\/(?:(?:actions|contract|graph|settings|schema)\.md|graph\/)/;
const MAX_LINE = 120;
/** Share of sentences that may be longer than MAX_WORDS. */
const MAX_LONG = 0.02;

/** Findings that stay, by page: what `retiredIn` says, and the reason. */
const ALLOWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {};

const textOf = (page: string): string => readFileSync(join(projectRoot, page), 'utf8');
const foundIn = (page: string): string[] => blocksOf(proseOf(textOf(page))).flatMap(retiredIn);
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(projectRoot, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((path) => `docs/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.md') && !GENERATED.test(path)),
].sort();

it('finds the pages, and needs each exception', () => {
  expect(pages.length).toBeGreaterThan(40);
  for (const [page, findings] of Object.entries(ALLOWED))
    expect(foundIn(page)).toEqual(expect.arrayContaining(Object.keys(findings)));
});

describe.each(pages)('%s', (page) => {
  const text = textOf(page);
  const prose = proseOf(text).split('\n');

  it('has no retired word', () => {
    expect(foundIn(page).filter((finding) => !Object.hasOwn(ALLOWED[page] ?? {}, finding))).toEqual([]);
  });

  it('has no semicolon between sentences', () => {
    expect(prose.filter((line) => /\p{L}[)`"*]*; /u.test(line))).toEqual([]);
  });

  it(`has no line of prose over ${MAX_LINE} characters`, () => {
    const lines = text.split('\n').filter((line, at) => line.length > MAX_LINE && prose[at] !== '');
    expect(lines.filter((line) => !/^\s*\||\]\([^)]*\)[.,)]*$|^!\[|<https?:/.test(line))).toEqual([]);
  });
});

it(`has few sentences of more than ${MAX_WORDS} words`, () => {
  const sentences = pages.flatMap((page) =>
    blocksOf(proseOf(textOf(page)))
      .flatMap(sentencesOf)
      .map((text) => ({ page, text })),
  );
  const long = sentences.filter(({ text }) => wordCount(text) > MAX_WORDS);
  expect(sentences.length).toBeGreaterThan(1_000);
  if (long.length > sentences.length * MAX_LONG)
    expect(long.map(({ page, text }) => `${page}: ${wordCount(text)} words: ${text}`)).toEqual([]);
});
