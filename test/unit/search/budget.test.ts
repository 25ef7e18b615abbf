/** Total cost of a search: the limits of its parameters multiply, so the finished plan has a budget. */
import { describe, expect, it } from '@jest/globals';
import { write } from '../../../src/search/postgres/statement.ts';
import { MAX_WEIGHT } from '../../../src/search/query/budget.ts';
import type { SearchInput } from '../../../src/search/query/search.ts';
import { searchPlan } from '../../../src/search/query/search.ts';
import { textMatches } from '../../../src/search/query/words.ts';

const NOW = new Date('2026-11-21T10:30:45.678Z');
/** Words of letters only, because letters next to digits are two words. */
const words = (count: number) => Array.from({ length: count }, (_, index) => word(index)).join(' ');
const word = (index: number): string => String(index).replace(/\d/g, (digit) => 'bcdfghjklm'[Number(digit)]!);
const fields = (count: number) => Array.from({ length: count }, (_, index) => `extras_f${index}`).join(' ');
const plan = (input: SearchInput) => searchPlan(input, NOW);
const refused = (input: SearchInput): string => {
  try {
    plan(input);
  } catch (thrown) {
    expect(thrown).toMatchObject({ name: 'CatalogError', kind: 'SEARCH' });
    return (thrown as Error).message;
  }
  return '';
};

describe('a refused search names the parameter with the highest cost', () => {
  it.each<[string, SearchInput, RegExp]>([
    ['many words in many fields', { q: words(500), qf: fields(30) }, /^query: .*2000/],
    ['a run of characters in scripts without spaces', { q: '東'.repeat(16_000) }, /^query: /],
    ['such a phrase', { q: `title:"${'東'.repeat(16_000)}"` }, /^query: /],
    ['many filters', { filters: Array(50).fill(words(100)) }, /^filters: /],
    ['patterns of values', { filters: Array(3).fill(`name:(${'*a* '.repeat(50)})`) }, /^filters: /],
    ['phrases whose words may be moved', { q: 'notes:"a b c d"~6 '.repeat(5) }, /^query: /],
    [
      'parameters that weigh too much together only',
      { q: words(200), filters: Array(2).fill(`id:(${words(450)})`), bf: '1 '.repeat(10) },
      /^query: .* this parameter costs/,
    ],
  ])('%s', (_name, input, message) => expect(refused(input)).toMatch(message));
});

describe('a realistic search', () => {
  it.each<[string, SearchInput]>([
    ['a paragraph', { q: words(200) }],
    ['a list of ids', { filters: [`id:(${words(499)})`] }],
    ['a sentence without spaces', { q: '東'.repeat(200) }],
    ['a few words in many fields', { q: words(20), qf: fields(30) }],
    ['functions', { q: words(5), bf: 'recip(ms(NOW,metadata_modified),3.16e-11,1,1)^2', boost: 'num_resources' }],
    ['a phrase', { q: 'text:"a b c d"~3' }],
  ])('is accepted: %s', (_name, input) => expect(plan(input)).toBeDefined());
});

it('never binds more values than PostgreSQL accepts', () => {
  const scope = { drafts: true, private: true, reader: [false, null, [], []] as [boolean, null, string[], string[]] };
  const largest: SearchInput[] = [
    { q: words(Math.floor(MAX_WEIGHT / 6) - 20), sort: 'name asc,year desc,x asc', bf: '1 2 3' },
    { q: words(30), qf: fields(30) },
    { q: words(500), defType: 'lucene' },
    { filters: Array.from({ length: 4 }, (_, index) => `f${index}:([a TO b] ${'x '.repeat(490)})`) },
    { q: 'x', bf: Array(10).fill('sum(1,1,1,1,1,1,1,1,1,1)^2').join(' ') },
  ];
  for (const input of largest) {
    const finished = plan(input);
    expect(textMatches(finished.condition, finished.scores).length).toBeLessThanOrEqual(MAX_WEIGHT);
    const statement = write(
      { plan: finished, scope, stem: (word) => word, siteId: 'x', timeout: { seconds: 5, setting: '' } },
      { page: { limit: 20, offset: 0, after: null }, count: true, facets: [] },
      '0',
      new Map(),
    );
    // Each part of a plan binds a few values, so the budget keeps them far below 65,535.
    expect(statement.values.length).toBeLessThan(5 * MAX_WEIGHT);
  }
});
