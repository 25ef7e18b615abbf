/** Files of bytes at hand, and what PostgreSQL would be given of them. */
import { pour } from '../../src/loading/read/pour.ts';
import type { Source, TextFile } from '../../src/loading/read/text-file.ts';

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

/** What PostgreSQL would be given. */
export async function poured(file: TextFile): Promise<string> {
  let text = '';
  await pour({
    file,
    chosen: new Map(),
    signal: new AbortController().signal,
    async write(_types, rows) {
      text = '';
      for await (const chunk of rows()) text += chunk.toString('utf8');
    },
    refusedColumn: () => null,
  });
  return text;
}
