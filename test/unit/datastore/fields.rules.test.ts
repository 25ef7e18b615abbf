/** Parses the field types that callers declare. */
import { expect, it } from '@jest/globals';
import { typeOf } from '../../../src/datastore/tables/fields.rules.ts';

it.each([
  ['Text', 'text'],
  [' numeric( 10 , 2 ) ', 'numeric(10,2)'],
  ['timestamp with time zone', 'timestamp with time zone'],
  ['_int4', 'int4[]'],
  ['int4 [ ]', null],
  ['text[] []', 'text[][]'],
  ['nested', 'json'],
  ['text; drop', null],
])('reads %j as %j', (declared, type) => expect(typeOf(declared)).toBe(type));

it('refuses a very long type in linear time', () => {
  expect(typeOf(`a${' '.repeat(500_000)}b`)).toBeNull();
  expect(typeOf(`${'a '.repeat(300_000)}!`)).toBeNull();
});
