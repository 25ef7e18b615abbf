/** Broken and hostile files: each is read, or refused with a message, and none causes a server error. */
import { expect, it } from '@jest/globals';
import { columnNames } from '../../../src/loading/read/sniff.ts';
import { poured } from '../../helpers/pouring.ts';

const csv = (bytes: Buffer | string) => poured('csv', bytes);
const json = (text: string) => poured('json', text);

const FF = Buffer.from([0xff]);
const utf8 = (rows: number) => Buffer.from(`n,name\n${'1,Zürich\n'.repeat(rows)}`);
it.each([
  ['its last character cut', Buffer.concat([utf8(4), Buffer.from('2,é').subarray(0, -1)])],
  [
    'its last character cut, after millions of others',
    Buffer.concat([utf8(300_000), Buffer.from('2,é').subarray(0, -1)]),
  ],
  ['a broken byte among characters', Buffer.concat([utf8(4), FF, utf8(4)])],
  ['a broken byte after millions of them', Buffer.concat([utf8(300_000), Buffer.from('2,a'), FF, Buffer.from('"b\n')])],
  ['a mark, and a broken byte', Buffer.concat([Buffer.from('\ufeffn,name\n1,'), FF, Buffer.from('\n')])],
])('refuses UTF-8 with %s', async (_what, bytes) => {
  await expect(csv(bytes)).rejects.toMatchObject({
    kind: 'VALIDATION',
    message: expect.stringContaining('UTF-8 except'),
  });
});

it.each([
  ['windows-1252', Buffer.from('n,name\n1,Zürich\n2,Genève – Köln\n', 'latin1'), 'Genève'],
  ['windows-1252 with one character', Buffer.from('n,name\n1,é\n', 'latin1'), 'é'],
  ['windows-1252 that ends with its only one', Buffer.from('n,name\n1,café', 'latin1'), 'café'],
  ['UTF-8 whose sample ends inside a character', Buffer.from(`n,name\n${`${'é'.repeat(99)}\n`.repeat(20_000)}`), 'é'],
])('reads %s', async (_what, bytes, text) => {
  expect(await csv(bytes)).toContain(text);
});

it('reads JSON up to the nesting limit, and refuses deeper JSON', async () => {
  const deep = (levels: number) => `[{"a": ${'['.repeat(levels)}1${']'.repeat(levels)}}]`;
  expect(await json(deep(990))).toContain('[[1]]');
  for (const text of [deep(100_000), '{"a":'.repeat(100_000), '['.repeat(100_000)])
    await expect(json(text)).rejects.toMatchObject({
      kind: 'VALIDATION',
      message: expect.stringMatching(/nested deeper than 1000 levels|is not an object/),
    });
});

it('reads a row with millions of empty values', async () => {
  const commas = ','.repeat(3_000_000);
  expect(await csv(`a,b\n1,2\n${commas}\n3${commas}\n`)).toBe('1,2\n,\n"3",\n');
});

it('renames columns that collide with system columns of PostgreSQL', () => {
  expect(columnNames(['xmin', 'ymin', 'xmax', 'ymax', 'ctid', 'Xmin', 'xmin'])).toEqual([
    'xmin_2',
    'ymin',
    'xmax_2',
    'ymax',
    'ctid_2',
    'Xmin',
    'xmin_3',
  ]);
});

it('keeps all digits of JSON numbers outside nested objects, and refuses invalid numbers', async () => {
  const long = '12345678901234567890';
  const text = `[{"id": ${long}, "x": -0.1234567890123456789, "big": 1e400, "s": "e1 ${long}", "in": {"id": ${long}, "e": 1e2}}]`;
  expect(await json(text)).toBe(
    `"${long}","-0.1234567890123456789","1e400","e1 ${long}","{""id"":12345678901234567000,""e"":100}"\n`,
  );
  for (const wrong of ['01234567890123456', '1e', '1234567890123456.', '12345678901234567-8'])
    await expect(json(`[{"a": ${wrong}}]`)).rejects.toMatchObject({ message: expect.stringContaining('is not JSON') });
});
