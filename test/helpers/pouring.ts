/** Files in memory, and the COPY text that PostgreSQL would get from them. */

import type { Format } from '../../src/loading/read/formats.ts';
import type { Limits } from '../../src/loading/read/limits.ts';
import { openReading, type Reading } from '../../src/loading/read/reading.ts';
import type { Source } from '../../src/loading/read/text-file.ts';
import { pour } from '../../src/loading/table/pour.ts';

const CHUNK = 65_536;
export const sourceOf = (bytes: Buffer): Source => ({
  size: bytes.length,
  async open({ start, end } = { start: 0, end: bytes.length - 1 }) {
    return pieces(bytes.subarray(start, end + 1));
  },
});
async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
}

export const LIMITS: Limits = { fileBytes: 2 ** 30, tableBytes: 2 ** 33, expansion: 100 };

/** Options to read a file of this format. */
export const optionsOf = (format: Format, limits: Partial<Limits> = {}) => ({
  format,
  formats: [format],
  limits: { ...LIMITS, ...limits },
  chosen: [],
});

/** The text that PostgreSQL would get for a file. */
export const poured = async (format: Format, bytes: Buffer | string, limits?: Partial<Limits>): Promise<string> =>
  textOf(await openReading(sourceOf(Buffer.from(bytes as string)), optionsOf(format, limits)));

/** The text that PostgreSQL would get for an opened file. */
export async function textOf(reading: Reading): Promise<string> {
  let text = '';
  await pour({
    reading,
    chosen: new Map(),
    signal: new AbortController().signal,
    async write({ rows }) {
      const chunks: Buffer[] = [];
      for await (const chunk of rows()) chunks.push(chunk);
      text = Buffer.concat(chunks).toString('utf8');
    },
    refusedColumn: () => null,
  });
  return text;
}
