/** Refuses corrupt Parquet files with a message and without blocking other requests. They are read in a child process. */
import { expect, it } from '@jest/globals';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { readOutside } from '../../src/loading/table/reading.ts';
import { optionsOf, poured, sourceOf, textOf } from '../helpers/pouring.ts';

const PARQUET = Buffer.from(
  parquetWriteBuffer({
    columnData: [
      { name: 'n', data: [1, 2, null], type: 'INT32' },
      { name: 'name', data: ['a', 'b', null], type: 'STRING' },
      { name: 'at', data: [new Date(0), null, null], type: 'TIMESTAMP' },
    ],
  }),
);
async function parquet(bytes: Buffer, timeout = 60_000): Promise<string> {
  const reading = await readOutside(sourceOf(bytes), { ...optionsOf('parquet'), memory: 384 * 2 ** 20, timeout });
  try {
    return await textOf(reading);
  } finally {
    await reading.close();
  }
}
/** The file with one changed byte. */
function broken(at: number, byte: number): Buffer {
  const bytes = Buffer.from(PARQUET);
  bytes[at] = byte;
  return bytes;
}

it('refuses truncated Parquet and Parquet with invalid offsets', async () => {
  expect(await parquet(PARQUET)).toBe('1,"a","1970-01-01T00:00:00"\n2,"b",\n,,\n');
  const cuts = Array.from({ length: 12 }, (_, n) => PARQUET.subarray(0, Math.floor((PARQUET.length * n) / 12)));
  const footer = PARQUET.readUInt32LE(PARQUET.length - 8);
  const changed = Array.from({ length: 24 }, (_, n) =>
    broken(PARQUET.length - 9 - Math.floor((footer * n) / 24), 0x8c),
  );
  for (const bytes of [...cuts, ...changed])
    await parquet(bytes, 10_000).catch((thrown: unknown) =>
      expect(thrown).toMatchObject({
        kind: expect.stringMatching('VALIDATION|LIMIT'),
        message: expect.stringMatching(/Parquet|memory|timed out|no columns/),
      }),
    );
  for (const bytes of cuts) await expect(poured('parquet', bytes)).rejects.toMatchObject({ kind: 'VALIDATION' });
}, 300_000);

it('stops reading endless Parquet without blocking', async () => {
  // Each changed byte makes a page claim so many extra values that reading takes too long or exhausts memory.
  expect([PARQUET[49], PARQUET[53]]).toEqual([6, 4]);
  let turns = 0;
  const turning = setInterval(() => (turns += 1), 10);
  for (const bytes of [broken(49, 254), broken(53, 180)])
    await expect(parquet(bytes, 2_000)).rejects.toMatchObject({
      kind: expect.stringMatching('VALIDATION|LIMIT'),
      message: expect.stringMatching(/timed out|memory/),
    });
  clearInterval(turning);
  expect(turns).toBeGreaterThan(10); // the event loop was not blocked
}, 120_000);

it('refuses timestamps outside the calendar', async () => {
  const schema = [
    { name: 'root', num_children: 1 },
    {
      name: 'at',
      type: 'INT64' as const,
      repetition_type: 'REQUIRED' as const,
      converted_type: 'TIMESTAMP_MICROS' as const,
    },
  ];
  const bytes = Buffer.from(
    parquetWriteBuffer({ columnData: [{ name: 'at', data: [9_223_372_036_854_775_807n] }], schema }),
  );
  await expect(parquet(bytes)).rejects.toMatchObject({ kind: 'VALIDATION' });
});
