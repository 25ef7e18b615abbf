/** Serialized JSON is sent unchanged, at any depth of an answer. */
import { expect, it } from '@jest/globals';
import { JsonText, toJsonBody, toJsonText } from '../../../src/kernel/json.ts';

/** Text that parsing would change. */
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
  const { body, tagged } = toJsonBody('<', value, '>');
  expect([String(body), String(tagged())]).toEqual([`<${expected}>`, `<${expected}>`]);
});

it('is parsed by JSON.stringify, also after an error', () => {
  const cyclic: { document: JsonText; self?: unknown } = { document: new JsonText(KEPT) };
  cyclic.self = cyclic;
  expect(() => toJsonText(cyclic)).toThrow(TypeError);
  expect(JSON.stringify([new JsonText(KEPT)])).toBe('[{"b":1,"a":1}]');
});

it('returns bytes only if a part is bytes', () => {
  expect(typeof toJsonBody('', { a: new JsonText(KEPT) }, '').body).toBe('string');
  expect(toJsonBody('', { a: new JsonText(Buffer.from(KEPT)) }, '').body).toBeInstanceOf(Buffer);
});

it('returns long bytes as a separate piece, without a copy', () => {
  const long = Buffer.from(JSON.stringify('é'.repeat(32 * 1024 - 1)));
  expect(long).toHaveLength(64 * 1024);
  const value = { a: new JsonText(Buffer.from(KEPT)), b: [new JsonText(long), new JsonText(long)], c: 'ü' };
  const { body, tagged } = toJsonBody('<', value, '>');
  expect(Array.isArray(body) && body.filter((piece) => piece === long)).toHaveLength(2);
  const whole = `<{"a":${KEPT},"b":[${long},${long}],"c":"ü"}>`;
  expect([Buffer.concat(body as Buffer[]).toString(), tagged()]).toEqual([whole, whole]);
  expect(toJsonBody('', new JsonText(long.subarray(1)), '').body).toBeInstanceOf(Buffer);
});

it('hashes digests in place of texts', () => {
  const tag = (source: string | Buffer, digest: string) =>
    toJsonBody('<', { a: 1, b: new JsonText(source, digest) }, '>').tagged();
  expect(tag(KEPT, 'd-1')).toBe('<{"a":1,"b":d-1}>');
  expect(tag(Buffer.from(KEPT), 'd-1')).toBe(tag(KEPT, 'd-1'));
  expect(tag(KEPT, 'd-2')).not.toBe(tag(KEPT, 'd-1'));
});
