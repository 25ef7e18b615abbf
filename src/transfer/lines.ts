/** Records, one JSON object a line, brought in one after the other and a few at a time: what became of each is told as it happens. */
import type { LineResult } from '../kernel/line-result.ts';
import { createImporter } from './importer.ts';
import type { Dictionary, Door } from './perform.ts';
import { kindOf, parseRecord } from './records.ts';

/** Datasets on their way in at a time. */
const PARALLEL = 4;

export type Summary = Record<LineResult['outcome'], number>;

/**
 * Brings in every line and answers how many became what. Organizations and groups go in one after the other, in the order of
 * the lines; datasets a few at a time, after everything before them that is no dataset. `tell` hears of each line when it is done;
 * while it has not answered nothing more is begun. Stops before the next line when `signal` says so.
 */
export async function importLines(
  door: Door,
  input: AsyncIterable<Buffer | string>,
  {
    maxBytes,
    tell,
    signal,
  }: { maxBytes: number; tell: (result: LineResult) => void | Promise<void>; signal?: AbortSignal },
): Promise<Summary> {
  const summary: Summary = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  const put = createImporter(door);
  const running = new Map<string, Promise<void>>(); // by ids and names
  for await (const line of linesOf(input, maxBytes)) {
    if (signal?.aborted) break;
    if (line.text === null || line.text.trim() !== '') await start(line);
  }
  await Promise.all(running.values());
  return summary;

  async function start({ text, line, bytes }: Line): Promise<void> {
    let record: Dictionary;
    try {
      if (text === null) throw new Error(`longer than ${maxBytes} bytes`);
      record = parseRecord(text);
    } catch (failure) {
      return done({ line, bytes, record: null, outcome: 'failed', failure });
    }
    const keys = [record.id, record.name].map(String);
    // Two records of one dataset keep their order.
    if (kindOf(record) !== 'dataset' || keys.some((key) => running.has(key))) await Promise.all(running.values());
    else if (new Set(running.values()).size >= PARALLEL) await Promise.race(running.values());
    const work = put(record)
      .then(
        ({ outcome, id }) => done({ line, bytes, record, outcome, id }),
        (failure: unknown) => done({ line, bytes, record, outcome: 'failed', failure }),
      )
      .finally(() => {
        for (const key of keys) running.delete(key);
      });
    for (const key of keys) running.set(key, work);
    if (kindOf(record) !== 'dataset') await work;
  }

  function done(result: LineResult): void | Promise<void> {
    summary[result.outcome] += 1;
    return tell(result);
  }
}

interface Line {
  /** Null where it is longer than may be. */
  readonly text: string | null;
  readonly line: number;
  readonly bytes: number;
}

const NEWLINE = 0x0a;

/** The lines of a stream of bytes. No more than `maxBytes` of one are ever held. */
async function* linesOf(input: AsyncIterable<Buffer | string>, maxBytes: number): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let length = 0;
  let line = 0;
  let bytes = 0;
  const take = (part: Buffer): void => {
    length += part.length;
    if (length > maxBytes) parts = [];
    else parts.push(part);
  };
  const end = (): Line => {
    const text = length > maxBytes ? null : Buffer.concat(parts).toString('utf8');
    bytes += length;
    parts = [];
    length = 0;
    return { text, line: (line += 1), bytes };
  };
  for await (const chunk of input) {
    const buffer = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    let from = 0;
    for (let at = buffer.indexOf(NEWLINE); at >= 0; at = buffer.indexOf(NEWLINE, from)) {
      take(buffer.subarray(from, at));
      yield end();
      bytes += 1;
      from = at + 1;
    }
    take(buffer.subarray(from));
  }
  if (length > 0) yield end();
}
