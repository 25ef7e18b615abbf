import { CatalogError } from '../kernel/errors.ts';

/** The chunks as they come, counted. @throws CatalogError LIMIT beyond `limit` bytes, naming the setting */
export async function* bounded(
  chunks: AsyncIterable<Buffer>,
  limit: number,
  counted: (size: number) => void,
): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > limit) {
      const message = `The file is larger than ${limit} bytes (catalog.limits.upload)`;
      throw new CatalogError('LIMIT', message, [{ path: ['upload'], message }]);
    }
    counted(size);
    yield chunk;
  }
}
