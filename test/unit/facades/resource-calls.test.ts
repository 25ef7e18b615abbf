/** Recognizes URLs of files. */
import { expect, it } from '@jest/globals';
import { isDownload } from '../../../facades/web/site/resource-calls.ts';

it.each([
  ['https://example.org/a.csv', true],
  ['https://example.org/a.csv?x=1#top', true],
  ['https://example.org/datastore/dump/abc', true],
  ['https://example.org/page.html', false],
  ['https://example.org/a', false],
  ['https://example.org/?a.csv', false],
])('%s: %s', (url, expected) => {
  expect(isDownload(url)).toBe(expected);
});

it('takes linear time for long URLs', () => {
  expect(isDownload(`http://a/b.csv${'?'.repeat(2_000_000)}\nx`)).toBe(true); // an hour in quadratic time
  expect(isDownload(`http://a/${'.a'.repeat(1_000_000)}/`)).toBe(false);
});
