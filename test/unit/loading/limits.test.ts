/** Limits of rows and tables, at their boundaries, in every format. */
import { expect, it } from '@jest/globals';
import { ALWAYS_ALLOWED_BYTES, ROW_BYTES, tableLimit } from '../../../src/loading/read/limits.ts';
import { rowsFile } from '../../../src/loading/read/rows.ts';
import { MAX_RECORD_BYTES } from '../../../src/loading/read/scan.ts';
import { LIMITS, poured } from '../../helpers/pouring.ts';
import { workbook } from '../../helpers/xlsx.ts';

const CELLS = 8;
/** Writes one row of eight values in each format. */
const ROWS = {
  csv: (values: readonly string[]) => `${names.join(',')}\n${values.join(',')}\n`,
  json: (values: readonly string[]) => JSON.stringify([Object.fromEntries(values.map((v, n) => [names[n], v]))]),
} as const;
const names = Array.from({ length: CELLS }, (_, n) => `c${n}`);
const valuesOf = (bytes: number, sign: string) => {
  const size = Math.floor(bytes / CELLS / Buffer.byteLength(sign));
  const rest = bytes - size * CELLS * Buffer.byteLength(sign);
  return names.map((_, n) => sign.repeat(size) + (n === 0 ? 'x'.repeat(rest) : ''));
};
const tooLong = { kind: 'VALIDATION', message: expect.stringMatching(/^Row \d+ is longer than 16777216 bytes$/) };
const small = { expansion: 1_000_000 };

it.each(['x', '水'])(
  'refuses CSV rows of more than 16 MiB, filled with %s',
  async (sign) => {
    const fits = MAX_RECORD_BYTES - (CELLS - 1);
    expect((await poured('csv', ROWS.csv(valuesOf(fits, sign)), small)).length).toBeGreaterThan(0);
    await expect(poured('csv', ROWS.csv(valuesOf(fits + 1, sign)), small)).rejects.toMatchObject(tooLong);
  },
  120_000,
);

it.each(['x', '水'])(
  'refuses rows of values of more than 16 MiB as text, filled with %s',
  async (sign) => {
    const fits = MAX_RECORD_BYTES - (CELLS - 1) - 2 * CELLS; // separators, and quotes around each value
    const size = (values: readonly string[]) => poured('json', ROWS.json(values), small);
    // The JSON object also has names and quotes, so it is near its own limit. The rows below have only values.
    await expect(size(valuesOf(fits + 1, sign))).rejects.toMatchObject({ kind: 'VALIDATION' });
    const row = async (bytes: number) => {
      async function* rows() {
        yield [valuesOf(bytes, sign)];
      }
      let length = 0;
      for await (const chunk of rowsFile(names, rows).open()) length += chunk.length;
      return length;
    };
    expect(await row(fits)).toBe(MAX_RECORD_BYTES + 1);
    if (sign === 'x') await expect(row(fits + 1)).rejects.toMatchObject(tooLong);
  },
  120_000,
);

it('refuses a text shared by too many cells before it fills the memory', async () => {
  const row = `<row>${'<c t="s"><v>0</v></c>'.repeat(255)}</row>`;
  const before = process.memoryUsage().rss;
  await expect(poured('xlsx', workbook(row.repeat(3), ['x'.repeat(2_000_000)]))).rejects.toMatchObject(tooLong);
  expect(process.memoryUsage().rss - before).toBeLessThan(300 * 2 ** 20);
});

it('accepts a table of the maximum size, and refuses one more byte', () => {
  const check = tableLimit({ ...LIMITS, tableBytes: 1_000 }, 1_000_000);
  check(1_000 - 10 * ROW_BYTES, 10);
  const limit = (message: string) =>
    expect.objectContaining({ kind: 'LIMIT', message: expect.stringContaining(message) });
  expect(() => check(1_001 - 10 * ROW_BYTES, 10)).toThrow(
    limit('1000 bytes at row 10 (catalog.loading.max_table_size)'),
  );
  const expanding = tableLimit({ ...LIMITS, expansion: 100 }, 2 ** 20);
  expanding(100 * 2 ** 20, 0);
  expect(() => expanding(100 * 2 ** 20 + 1, 0)).toThrow(limit('(catalog.loading.max_expansion)'));
  const tiny = tableLimit({ ...LIMITS, expansion: 100 }, 10);
  tiny(ALWAYS_ALLOWED_BYTES, 0);
  expect(() => tiny(ALWAYS_ALLOWED_BYTES + 1, 0)).toThrow(limit("at most 100 times the file's 10 bytes"));
});

it.each([
  ['csv' as const, `a\n${'1\n'.repeat(1_000)}`],
  ['ndjson' as const, '{"a":1}\n'.repeat(1_000)],
  ['json' as const, JSON.stringify(Array.from({ length: 1_000 }, () => ({ a: 1 })))],
  ['xlsx' as const, workbook(`<row><c t="str"><v>a</v></c></row>${'<row><c><v>1</v></c></row>'.repeat(1_000)}`)],
])('counts an overhead for each row: %s', async (format, bytes) => {
  const size = 1_000 * (2 + ROW_BYTES);
  expect(await poured(format, bytes, { tableBytes: size })).toBe('1\n'.repeat(1_000));
  await expect(poured(format, bytes, { tableBytes: size - 1 })).rejects.toMatchObject({ kind: 'LIMIT' });
});

it('pads short rows to the number of columns', async () => {
  const columns = Array.from({ length: 1_500 }, (_, n) => `c${n}`).join(',');
  const text = await poured('csv', `${columns}\n${'1\n'.repeat(20_000)}`);
  expect(text.length).toBe(20_000 * (3 + 1_499 + 1));
  const last = text.slice(text.lastIndexOf('\n', text.length - 2) + 1);
  expect(last).toBe(`"1"${','.repeat(1_499)}\n`);
}, 120_000);
