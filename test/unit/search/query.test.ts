/** The query language: accepted texts, refused texts with their error positions, and the cost of hostile texts. */
import { describe, expect, it } from '@jest/globals';
import { instantOf } from '../../../src/search/query/dates.ts';
import { parseDismax } from '../../../src/search/query/dismax.ts';
import { functionsOf } from '../../../src/search/query/functions.ts';
import { parseLucene } from '../../../src/search/query/lucene.ts';
import { minimumOf } from '../../../src/search/query/minimum.ts';
import { searchPlan } from '../../../src/search/query/search.ts';
import { sortOf } from '../../../src/search/query/sort.ts';
import { type Node, SyntaxFault, type Value } from '../../../src/search/query/syntax.ts';
import { looksOf } from '../../helpers/looks.ts';

const NOW = new Date('2026-11-21T10:30:45.678Z');

/** A compact form of the tree, such as `+(a -b)`. Optional clauses have no sign. */
function written(node: Node): string {
  const boost = node.boost === 1 ? '' : `^${node.boost}`;
  if (node.kind === 'all') return `*${boost}`;
  if (node.kind === 'clause') return `${node.field === null ? '' : `${node.field}:`}${valueText(node.value)}${boost}`;
  const parts = [
    ...node.must.map((child) => `+${written(child)}`),
    ...node.should.map(written),
    ...node.not.map((child) => `-${written(child)}`),
  ];
  return `(${parts.join(' ')})${boost}`;
}

function valueText(value: Value): string {
  switch (value.kind) {
    case 'term':
      return `${value.text}${value.fuzzy === undefined ? '' : `~${value.fuzzy}`}`;
    case 'phrase':
      return `"${value.text}"${value.slop ? `~${value.slop}` : ''}`;
    case 'pattern':
      return value.pieces.map((piece) => ('text' in piece ? piece.text : piece.any === 'one' ? '⍰' : '⍟')).join('');
    case 'exists':
      return '∃';
    case 'range':
      return `${value.includesFrom ? '[' : '{'}${value.from ?? '⍟'}…${value.to ?? '⍟'}${value.includesTo ? ']' : '}'}`;
  }
}

function faultOf(work: () => unknown): { message: string; column: number } {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof SyntaxFault) return { message: thrown.message, column: thrown.column };
    throw thrown;
  }
  throw new Error('was accepted');
}

describe('the Lucene syntax', () => {
  it.each([
    ['', '*'],
    ['  ', '*'],
    ['*:*', '*'],
    ['*', '*'],
    ['a', 'a'],
    ['a b', '(+a +b)'],
    ['a AND b', '(+a +b)'],
    ['a && b', '(+a +b)'],
    ['a OR b', '(a b)'],
    ['a || b', '(a b)'],
    ['a OR b OR c', '(a b c)'],
    ['a b OR c', '(+a b c)'],
    ['+a OR b', '(+a b)'],
    ['a OR +b', '(+b a)'],
    ['-a', '(-a)'],
    ['!a b', '(+b -a)'],
    ['NOT a', '(-a)'],
    ['a NOT b', '(+a -b)'],
    ['a AND NOT b', '(+a -b)'],
    ['a -b +c', '(+a +c -b)'],
    ['-tags:x', '(-tags:x)'],
    ['!tags:x', '(-tags:x)'],
    ['- a', '(-a)'],
    ['(a OR b) AND c', '(+(a b) +c)'],
    ['((a))', 'a'],
    ['title:a', 'title:a'],
    ['title:(a OR b)', '(title:a title:b)'],
    ['title:(a "b c")', '(+title:a +title:"b c")'],
    ['title:a notes:b', '(+title:a +notes:b)'],
    ['"a b"', '"a b"'],
    ['"a b"~3', '"a b"~3'],
    ['"say \\"a\\""', '"say "a""'],
    ['title:"a:b"', 'title:"a:b"'],
    ['a^2.5', 'a^2.5'],
    ['title:a^5 b', '(+title:a^5 +b)'],
    ['(a OR b)^2', '(a b)^2'],
    ['"a b"^.5', '"a b"^0.5'],
    ['a~', 'a~2'],
    ['a~1', 'a~1'],
    ['a~0.8', 'a~2'],
    ['riv*', 'riv⍟'],
    ['r?v*r', 'r⍰v⍟r'],
    ['a\\*', 'a*'],
    ['a\\:b', 'a:b'],
    ['a\\ b', 'a b'],
    ['title:*', 'title:∃'],
    ['[a TO b]', '[a…b]'],
    ['year:[2000 TO *]', 'year:[2000…⍟]'],
    ['year:{* TO 5}', 'year:{⍟…5}'],
    ['year:[1 TO 5}', 'year:[1…5}'],
    ['d:[2000-01-01T00:00:00Z TO NOW-7DAYS/DAY]', 'd:[2000-01-01T00:00:00Z…NOW-7DAYS/DAY]'],
    ['d:["a b" TO "c d"]', 'd:[a b…c d]'],
    ['a/b', 'a/b'],
    ['http://x.example/y', 'http://x.example/y'.replace('http:', 'http:')],
    ['東京　大阪', '(+東京 +大阪)'],
    ['AND1', 'AND1'],
    ['ORACLE', 'ORACLE'],
    ['a and b', '(+a +and +b)'],
    ['a-b', 'a-b'],
    ['\\+a', '+a'],
    ['a+b', 'a+b'],
  ])('reads %j', (text, expected) => expect(written(parseLucene(text))).toBe(expected));

  it.each<[string, string, number]>([
    ['a AND', 'a term is expected after AND', 6],
    ['AND', 'a term is expected before AND', 1],
    ['a OR OR b', 'a term is expected after OR', 6],
    ['a && ', 'a term is expected after &&', 6],
    ['NOT', 'a term is expected', 4],
    ['+', 'a term is expected after +', 2],
    ['(a', 'the bracket is not closed', 1],
    ['a)', 'unexpected )', 2],
    ['()', 'the brackets are empty', 2],
    ['a (b ()', 'the brackets are empty', 7],
    ['"a', 'the quotation mark is not closed', 1],
    ['a:', 'a value is expected after the field', 3],
    ['a: b', 'a value is expected after the field', 3],
    [':a', 'a field is expected before the colon', 1],
    ['a:b:c', 'a field is not allowed inside the value of another field', 4],
    ['a:(b:c)', 'a field is not allowed inside the value of another field', 6],
    ['[a b]', 'TO is expected in the range', 4],
    ['[a TO b', 'the range is not closed', 1],
    ['[a TO', 'TO is expected in the range', 4],
    ['[TO b]', 'TO is expected in the range', 5],
    ['a^', 'a number is expected after ^', 3],
    ['a^x', 'a number is expected after ^', 3],
    ['a^=2', 'constant scores ^= are not supported', 3],
    ['a~5', 'the number after ~ must be 0, 1 or 2 (got 5)', 4],
    ['"a b"~x', 'an integer is expected after ~', 7],
    ['a\\', 'nothing follows the backslash', 2],
    ['{!tag=x}a', 'local parameters {!…} are not supported', 1],
    ['_query_:"x"', '_query_ is not supported', 1],
    ['_val_:"x"', '_val_ is not supported', 1],
    ['/riv.*/', 'regular expressions are not supported', 1],
    ['title:/riv.*/ a', 'regular expressions are not supported', 7],
  ])('refuses %j', (text, message, column) => {
    const fault = faultOf(() => parseLucene(text));
    expect(fault.message).toContain(message);
    expect(fault.column).toBe(column);
  });

  it('is bounded in length, depth and clauses', () => {
    expect(faultOf(() => parseLucene('a'.repeat(20_001))).message).toContain('longer than');
    expect(faultOf(() => parseLucene('('.repeat(10_000))).message).toContain('brackets');
    expect(faultOf(() => parseLucene('a '.repeat(600))).message).toContain('clauses');
    expect(parseLucene(`${'('.repeat(30)}a${')'.repeat(30)}`).kind).toBe('clause');
  });

  it.each([
    '(',
    '[',
    '"',
    '\\',
    '+',
    '-',
    '!',
    'a:',
    '^',
    '~',
    '*',
    '?',
    '{',
    '&&',
    '||',
    'AND ',
    'NOT ',
    '[a TO ',
    'a~1',
    '/',
    '((a ',
  ])('parses a long repetition of %j in linear time', (piece) => {
    const text = piece.repeat(20_000 / piece.length);
    const looks = looksOf(parseLucene, text);
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThan(500_000);
    // Steps of regular expressions cannot be counted, but one that backtracks badly would exceed the test timeout.
    try {
      parseDismax(text);
    } catch (thrown) {
      expect(thrown).toBeInstanceOf(SyntaxFault);
    }
  });

  it('throws only search errors for random input', () => {
    const signs = [
      'a',
      'b:',
      '"',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      ' TO ',
      ' AND ',
      ' OR ',
      ' NOT ',
      '+',
      '-',
      '!',
      '^',
      '~',
      '2',
      '*',
      '?',
      '\\',
      ' ',
      '/',
      ':',
      '&&',
      '||',
      '東京',
      '\u0000',
      '😀',
      '{!',
      '_val_:',
    ];
    let state = 7;
    const next = () => (state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff) / 0x7fff_ffff;
    for (let run = 0; run < 3_000; run += 1) {
      const text = Array.from(
        { length: 1 + Math.floor(next() * 12) },
        () => signs[Math.floor(next() * signs.length)],
      ).join('');
      for (const defType of [null, 'lucene', 'dismax', 'edismax']) {
        try {
          searchPlan({ q: text, filters: [text], defType }, NOW);
        } catch (thrown) {
          expect(thrown).toMatchObject({ name: 'CatalogError', kind: 'SEARCH' });
        }
      }
    }
  });
});

describe('the DisMax syntax', () => {
  it.each([
    ['a b', '(a b)'],
    ['a AND b', '(+a +b)'],
    ['a OR b', '(a b)'],
    ['+a -b', '(+a -b)'],
    ['a NOT b', '(a -b)'],
    ['"a b" c', '("a b" c)'],
    ['-"a b"', '(-"a b")'],
    ['"a b', '(a b)'],
    ['a) (b *', '(a) (b *)'],
    ['r?v* x~', '(r?v* x~)'],
  ])('reads %j', (text, expected) => expect(written(parseDismax(text))).toBe(expected));

  it.each<[string, number]>([
    ['a AND', 6],
    ['OR a', 1],
    ['a AND OR b', 7],
    ['a NOT', 6],
  ])('refuses %j', (text, column) => expect(faultOf(() => parseDismax(text)).column).toBe(column));
});

describe('the minimum of optional words', () => {
  it.each<[string, number, number]>([
    ['2<-1 5<80%', 1, 1],
    ['2<-1 5<80%', 2, 2],
    ['2<-1 5<80%', 3, 2],
    ['2<-1 5<80%', 5, 4],
    ['2<-1 5<80%', 6, 4],
    ['2<-1 5<80%', 10, 8],
    ['1', 5, 1],
    ['100%', 3, 3],
    ['75%', 4, 3],
    ['-1', 4, 3],
    ['-25%', 4, 3],
    ['9', 4, 4],
    ['-9', 4, 0],
    ['2 < 50%', 4, 2],
  ])('%s of %d are %d', (text, clauses, expected) => expect(minimumOf(text, clauses)).toBe(expected));

  it.each(['x', '', '2<', '<3', '2<x 5<80%', '1%%'])('refuses %j', (text) => {
    expect(() => minimumOf(text, 100)).toThrow(SyntaxFault);
  });

  it('has at most 20,000 characters', () => {
    const spaces = ' '.repeat(4_000);
    expect(minimumOf(`${spaces}2${spaces}<${spaces}50%${spaces}`, 4)).toBe(2);
    expect(() => minimumOf(`1${spaces}1`, 4)).toThrow(SyntaxFault);
    expect(() => minimumOf('1<1 '.repeat(5_001), 4)).toThrow('longer than 20000 characters');
  });
});

describe('instants', () => {
  it.each([
    ['NOW', '2026-11-21T10:30:45.678Z'],
    ['NOW/DAY', '2026-11-21T00:00:00.000Z'],
    ['NOW-7DAYS', '2026-11-14T10:30:45.678Z'],
    ['NOW-1MONTH/MONTH', '2026-10-01T00:00:00.000Z'],
    ['NOW+1YEAR/YEAR+6HOURS', '2027-01-01T06:00:00.000Z'],
    ['NOW/WEEK', '2026-11-16T00:00:00.000Z'],
    ['2024-02-29T12:00:00Z+1YEAR', '2025-02-28T12:00:00.000Z'],
    ['2024-01-31T00:00:00Z+1MONTH', '2024-02-29T00:00:00.000Z'],
    ['2024', '2024-01-01T00:00:00.000Z'],
    ['2024-05', '2024-05-01T00:00:00.000Z'],
    ['2024-05-06', '2024-05-06T00:00:00.000Z'],
    ['2024-05-06T01:02:03.4567', '2024-05-06T01:02:03.456Z'],
    ['2024-05-06T01:02:03+02:00', '2024-05-05T23:02:03.000Z'],
    ['2024-05-06/YEAR', '2024-01-01T00:00:00.000Z'],
    ['1900-01-01T00:00:00Z', '1900-01-01T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0004-02-29', '0004-02-29T00:00:00.000Z'],
    ['0099-12-31T12:00:00Z/YEAR', '0099-01-01T00:00:00.000Z'],
    ['0099-12-31/MONTH', '0099-12-01T00:00:00.000Z'],
    ['0004-01-31+1MONTH', '0004-02-29T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is %s', (text, expected) => expect(instantOf(text, NOW, 1).toISOString()).toBe(expected));

  it.each([
    '',
    'x',
    '2024-13',
    '2024-02-30',
    'NOW-',
    'NOW-7',
    'NOW-7FORTNIGHTS',
    'NOW//DAY',
    `NOW${'+1DAY'.repeat(50)}`,
    'NOW+999999YEARS',
    '0000-01-01',
    '0000-12-31T23:59:59Z',
    '0001-01-01-1SECOND',
    '9999-12-31T23:59:59.999Z+1MILLI',
    'NOW-7DAYSx',
  ])('refuses %j', (text) => expect(() => instantOf(text, NOW, 1)).toThrow(SyntaxFault));
});

describe('functions', () => {
  it('reads numbers, fields, calls and weights', () => {
    expect(functionsOf('num_resources^0.5 recip(ms(NOW/DAY,metadata_modified),3.16e-11,1,1) 2', NOW)).toMatchObject([
      { weight: 0.5, of: { kind: 'field', field: { of: 'resourceCount' } } },
      {
        weight: 1,
        of: {
          kind: 'call',
          name: 'recip',
          of: [{ name: 'ms', of: [{ kind: 'number', value: Date.UTC(2026, 10, 21) }, {}] }, {}, {}, {}],
        },
      },
      { weight: 1, of: { kind: 'number', value: 2 } },
    ]);
  });

  it.each([
    'rord(x)',
    'recip(1,2)',
    'title',
    'name',
    'x',
    'sum(',
    'sum()',
    '1e999',
    '1e-300',
    'sum(1,2',
    `${'abs('.repeat(10)}1`,
    '1 '.repeat(11),
    ')',
  ])('refuses %j', (text) => expect(() => functionsOf(text, NOW)).toThrow(SyntaxFault));
});

describe('sort orders', () => {
  it.each([
    [null, 'score desc, metadata_modified desc'],
    ['rank', 'score desc, metadata_modified desc'],
    ['name asc', 'name asc'],
  ])('from %j are %j', (given, text) => expect(sortOf(given).text).toBe(text));

  it('by relevance put the best match first, also for asc', () => {
    expect(sortOf('relevance asc, name DESC').keys).toEqual([
      { by: 'score', descending: true },
      { by: { kind: 'column', of: 'name', type: 'text' }, descending: true },
    ]);
  });

  it.each(['name', 'name sideways', 'name asc,', ',', 'tags asc', 'text asc', 'res_url asc', 'name asc, '.repeat(20)])(
    'refuses %j',
    (given) => {
      expect(() => sortOf(given)).toThrow(expect.objectContaining({ kind: 'SEARCH' }));
    },
  );
});
