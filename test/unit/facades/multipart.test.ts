/** Multipart forms: limits, truncated forms, and file streams that never stay open. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { readMultipart, UploadedFile } from '../../../facades/shared/multipart.ts';

const field = (name: string, value: string) =>
  `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (name: string, filename: string, content: string) =>
  `--b\r\ncontent-disposition: form-data; name="${name}"; filename="${filename}"\r\ncontent-type: text/csv\r\n\r\n${content}\r\n`;

/** Reads a form that arrives in these chunks, and collects its files as strings. */
async function read(chunks: readonly (string | Buffer)[], limit = 1_000_000, type = 'multipart/form-data; boundary=b') {
  const req = Object.assign(Readable.from(chunks.map((chunk) => Buffer.from(chunk))), {
    headers: { 'content-type': type },
    complete: true,
  }) as unknown as IncomingMessage;
  const kept: string[] = [];
  const tokens: string[] = [];
  const fields = await readMultipart(req, {
    limit,
    tokens,
    takesFile: (name) => name !== 'other',
    incoming: {
      async receive(source) {
        let text = '';
        for await (const chunk of source) text += chunk;
        kept.push(text);
        return `token ${kept.length}`;
      },
      async discard() {},
    },
  });
  return { fields, kept, tokens };
}

const FORM = `${field('title', 'Flüsse 日本')}${file('upload', 'データ.csv', 'id\r\n1\r\n')}${field('tag', 'a')}${field('tag', 'b')}--b--\r\n`;

describe('a multipart form', () => {
  it('is read in chunks of any size', async () => {
    const bytes = Buffer.from(FORM);
    for (const size of [1, 2, 3, 7, 64, bytes.length]) {
      const chunks: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
      const { fields, kept, tokens } = await read(chunks);
      expect(fields).toEqual({
        title: 'Flüsse 日本',
        upload: new UploadedFile('データ.csv', 'token 1'),
        tag: ['a', 'b'],
      });
      expect([kept, tokens]).toEqual([['id\r\n1\r\n'], ['token 1']]);
    }
  });

  it('is refused if it is truncated at any byte', async () => {
    const bytes = Buffer.from(FORM);
    for (let length = 0; length < bytes.length - 4; length += 1)
      await expect(read([bytes.subarray(0, length)])).rejects.toThrow('Multipart Error: ');
  });

  it('is bounded in fields, files, names and bytes', async () => {
    const many = (n: number, part: (name: string) => string) =>
      `${Array.from({ length: n }, (_, at) => part(`p${at}`)).join('')}--b--\r\n`;
    expect(Object.keys((await read([many(1000, (name) => field(name, 'x'))])).fields)).toHaveLength(1000);
    await expect(read([many(1001, (name) => field(name, 'x'))])).rejects.toThrow('more than 1000 fields');
    expect(Object.keys((await read([many(100, (name) => file(name, 'a.csv', 'x'))])).fields)).toHaveLength(100);
    await expect(read([many(101, (name) => file(name, 'a.csv', 'x'))])).rejects.toThrow('more than 100 files');
    await expect(read([field('a', 'x'.repeat(101)), '--b--\r\n'], 100)).rejects.toThrow('exceed 100 bytes');
    await expect(read([field('x'.repeat(20_000), 'x'), '--b--\r\n'])).rejects.toThrow('a name is longer than');
    await expect(read([file('a', 'x'.repeat(20_000), 'x'), '--b--\r\n'])).rejects.toThrow('a name is longer than');
  });

  it('ignores files of unexpected fields, and accepts one file per field', async () => {
    const { fields, kept } = await read([file('other', 'a.csv', 'x'), field('__proto__', 'x'), '--b--\r\n']);
    expect([fields, kept]).toEqual([{ other: new UploadedFile('a.csv', null) }, []]);
    await expect(read([file('a', 'a.csv', 'x'), file('a', 'b.csv', 'y'), '--b--\r\n'])).rejects.toThrow(
      'more than one file in the field a',
    );
  });

  it.each(['multipart/form-data', 'multipart/mixed; boundary=b', ''])(
    'is refused with the content type %j',
    async (type) => {
      await expect(read([FORM], 1_000, type)).rejects.toThrow('Multipart Error: ');
    },
  );
});
