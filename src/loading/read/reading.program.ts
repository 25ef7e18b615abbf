/** Child process that reads an untrusted file (infra/worker/program.ts). It requests parts of the file from the server and returns rows. */
import type { Port } from '../../infra/worker/frames.ts';
import type { Kind } from './kinds.ts';
import { type Described, openReading, type ReadingOptions } from './reading.ts';
import type { Source } from './text-file.ts';

/**
 * Messages from the server: first the options, then the column kinds for which to return rows. `stop` ends the current rows. Bytes answer
 * an `ask`.
 */
export type ToReading =
  | (ReadingOptions & { readonly size: number })
  | { readonly kinds: readonly Kind[] }
  | { readonly stop: true };
/**
 * Messages to the server. `ask` has the first and last byte requested. Rows are chunks of bytes followed by their count. `null` means that
 * reading starts again, after another `described`.
 */
export type FromReading =
  | { readonly ask: readonly [number, number] }
  | { readonly described: Described }
  | { readonly rows: number | null };

/** Bytes per request. */
const PART = 512 * 1024;

export async function run(port: Port): Promise<void> {
  const waiting: ((bytes: Buffer) => void)[] = [];
  const said: object[] = [];
  let isStopped = false;
  let isOver = false;
  let wake = () => {};
  void (async () => {
    for (let message = await port.next(); message !== null; message = await port.next())
      if (Buffer.isBuffer(message)) waiting.shift()?.(message);
      else if ('stop' in message) isStopped = true;
      else {
        said.push(message);
        wake();
      }
    isOver = true;
    wake();
  })();
  async function next<T extends object>(): Promise<T | null> {
    while (said.length === 0 && !isOver)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    return (said.shift() as T | undefined) ?? null;
  }
  const ask = (start: number, end: number): Promise<Buffer> =>
    new Promise((resolve) => {
      waiting.push(resolve);
      void port.send({ ask: [start, end] } satisfies FromReading);
    });

  const options = (await next<ReadingOptions & { size: number }>())!;
  const reading = await openReading(sourceOf(options.size, ask), options);
  await port.send({ described: reading.described } satisfies FromReading);
  for (let order = await next<{ kinds: Kind[] }>(); order !== null; order = await next()) {
    isStopped = false;
    const rows = reading.rows(order.kinds);
    let step = await rows.next();
    for (; !step.done && !isStopped; step = await rows.next()) await port.send(step.value);
    const count = step.done ? step.value : null;
    if (!step.done) await rows.return(null);
    if (step.done && count === null) await port.send({ described: reading.described } satisfies FromReading);
    await port.send({ rows: count } satisfies FromReading);
  }
}

/** The file at the server. Requests the next part before returning this one. */
const sourceOf = (size: number, ask: (start: number, end: number) => Promise<Buffer>): Source => ({
  size,
  async open({ start, end } = { start: 0, end: size - 1 }) {
    const last = Math.min(end, size - 1);
    const partAt = (at: number) => (at > last ? null : ask(at, Math.min(at + PART - 1, last)));
    async function* parts() {
      let at = start;
      let part = partAt(at);
      while (part !== null) {
        at += PART;
        const next = partAt(at);
        yield await part;
        part = next;
      }
    }
    return parts();
  },
});
