/** Serialized JSON is sent unchanged, at any depth of an answer. */
import { expect, it } from '@jest/globals';
import { JsonText, toJsonBody, toJsonText } from '../../../src/kernel/json.ts';

/** Would change if it were parsed. */
const KEPT = '{"b": 1,  "a": 1.0}';

it.each([
  ['a value', new JsonText(KEPT), KEPT],
  ['bytes', new JsonText(Buffer.from(KEPT)), KEPT],
  ['an item', [new JsonText(KEPT), new JsonText('[]')], `[${KEPT},[]]`],
  ['an item after others', [1, new JsonText(KEPT)], `[1,${KEPT}]`],
  [
    'a list in a list of objects',
    [{ n: 1, all: [new JsonText(KEPT)] }, { all: [] }],
    `[{"n":1,"all":[${KEPT}]},{"all":[]}]`,
  ],
  ['deep', { a: { b: [{ c: new JsonText(KEPT), d: undefined }] }, e: 'é"' }, `{"a":{"b":[{"c":${KEPT}}]},"e":"é\\""}`],
  ['none', { a: [1, 'x', null, undefined] }, '{"a":[1,"x",null,null]}'],
  ['nothing', undefined, 'null'],
])('%s', (_name, value, expected) => {
  expect(toJsonText(value)).toBe(expected);
  expect(String(toJsonBody('<', value, '>'))).toBe(`<${expected}>`);
});

it('is parsed by JSON.stringify, also after an error', () => {
  const cyclic: { document: JsonText; self?: unknown } = { document: new JsonText(KEPT) };
  cyclic.self = cyclic;
  expect(() => toJsonText(cyclic)).toThrow(TypeError);
  expect(JSON.stringify([new JsonText(KEPT)])).toBe('[{"b":1,"a":1}]');
});

it('returns bytes only if a part is bytes', () => {
  expect(typeof toJsonBody('', { a: new JsonText(KEPT) }, '')).toBe('string');
  expect(toJsonBody('', { a: new JsonText(Buffer.from(KEPT)) }, '')).toBeInstanceOf(Buffer);
});
