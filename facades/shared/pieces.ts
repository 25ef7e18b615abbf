/** Sends texts of unknown length as they are made, at the speed of the reader. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { packing } from './compress.ts';
import { CORS } from './http.ts';

/** Compressed if the client accepts it: `headers` include `Vary: Accept-Encoding`. HEAD gets the headers only. */
export async function sendPieces(
  req: IncomingMessage,
  res: ServerResponse,
  headers: Readonly<Record<string, string>>,
  text: AsyncIterable<string>,
): Promise<void> {
  const packer = packing(req.headers['accept-encoding']);
  res.writeHead(200, {
    ...CORS,
    'x-content-type-options': 'nosniff',
    ...headers,
    ...(packer && { 'content-encoding': packer.encoding }),
  });
  if (req.method === 'HEAD') {
    packer?.stream.destroy();
    return void res.end();
  }
  try {
    const pieces = Readable.from(text, { highWaterMark: 1 });
    await (packer ? pipeline(pieces, packer.stream, res) : pipeline(pieces, res));
  } catch (failure) {
    res.destroy(); // an incomplete text must not look complete
    if ((failure as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw failure; // the client disconnected
  }
}
