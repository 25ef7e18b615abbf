/** Parses an event stream (text/event-stream). */
import { CatalogFailure } from './failure.ts';

export interface StreamEvent {
  readonly type: string;
  readonly data: string;
}

/** Seconds without data after which a stream counts as broken. The server sends a keep-alive comment every 12. */
const SILENCE = 45;

/** Ends with the stream. @throws CatalogFailure (status 0) if it breaks or is silent for too long */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let type = 'message';
  let data: string[] = [];
  try {
    for (let piece = await next(reader); piece; piece = await next(reader)) {
      const lines = (rest + decoder.decode(piece, { stream: true })).split(/\r\n|\n|\r(?=[^\n])/);
      rest = lines.pop() as string; // may go on
      for (const line of lines) {
        if (line === '') {
          if (data.length > 0) yield { type, data: data.join('\n') };
          type = 'message';
          data = [];
          continue;
        }
        const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) as RegExpExecArray;
        if (name === 'event') type = value;
        else if (name === 'data') data.push(value);
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  let late: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    late = setTimeout(() => reject(new Error(`No data for ${SILENCE} seconds`)), SILENCE * 1_000);
  });
  try {
    return (await Promise.race([reader.read(), silence])).value;
  } catch (cause) {
    throw new CatalogFailure('The stream was interrupted', { status: 0, cause });
  } finally {
    clearTimeout(late);
  }
}
