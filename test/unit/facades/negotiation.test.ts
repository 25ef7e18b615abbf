import { expect, it } from '@jest/globals';
import { preferredEncoding, preferredType } from '../../../facades/shared/negotiation.ts';

const TYPES = ['application/json', 'text/turtle'] as const;

it.each([
  [undefined, 'application/json'],
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['text/*', 'text/turtle'],
  ['TEXT/Turtle', 'text/turtle'],
  ['text/turtle, */*', 'text/turtle'],
  ['text/turtle;q=0.2, application/json;q=0.1', 'text/turtle'],
  ['text/turtle, application/json', 'text/turtle'],
  ['application/json;charset=utf-8 ; q=0.1, text/turtle;q=0.05', 'application/json'],
  ['application/json; charset=utf-8', 'application/json'],
  ['text/turtle;profile="a,b;c";q=0.5, application/json;q=0.4', 'text/turtle'],
  ['application/json;q=0, */*', 'text/turtle'],
  ['image/png', null],
  ['text/turtle;q=0', null],
  ['text/turtle;q=x, text/html', 'text/turtle'],
  [',,;;', null],
])('Accept: %s means %s', (accept, type) => {
  expect(preferredType(accept, TYPES)).toBe(type);
});

it.each([
  [undefined, null],
  ['', null],
  ['gzip, br', 'br'],
  ['br;q=0.5, gzip', 'gzip'],
  ['gzip, br;q=0', 'gzip'],
  ['*', 'br'],
  ['*, br;q=0', 'gzip'],
  ['gzip;q=0', null],
  ['deflate, identity', null],
])('Accept-Encoding: %s means %s', (header, encoding) => {
  expect(preferredEncoding(header, ['br', 'gzip'])).toBe(encoding);
});
