/** `catalog import`: a file of records, one JSON object a line, goes in; bad ones are reported and the rest goes in. */
import { createReadStream, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { App } from '../app.ts';
import { withCatalog } from './catalog.ts';
import { type Command, CommandFailure, UsageError } from './command.ts';
import { createImporter, type Outcome, reasonOf } from './transfer/importer.ts';
import type { Dictionary } from './transfer/perform.ts';
import { createProgress, type Progress } from './transfer/progress.ts';
import { kindOf, parseRecord, titleOf } from './transfer/records.ts';

/** Datasets on their way in at a time. */
const PARALLEL = 4;

export type Summary = Record<Outcome | 'failed', number>;

export const command: Command = async (args, context) => {
  const [file, ...rest] = args;
  if (!file || rest.length > 0 || (file.startsWith('-') && file !== '-')) throw new UsageError();
  const total = file === '-' ? null : statSync(file, { throwIfNoEntry: false })?.size;
  if (total === undefined) throw new UsageError(`There is no file ${file}.`);
  const start = performance.now();
  const summary = await withCatalog(context, async ({ app }) => {
    const progress = createProgress(total);
    try {
      return await importLines(app, file === '-' ? process.stdin : createReadStream(file), progress);
    } finally {
      progress.stop();
    }
  });
  console.log(describe(summary, (performance.now() - start) / 1000));
  if (summary.failed > 0)
    throw new CommandFailure(
      `${summary.failed} ${summary.failed === 1 ? 'record' : 'records'} did not go in; the lines above say why.`,
    );
};

/**
 * Imports every line. Organizations and groups go in one after the other, in the file's order; datasets a few at a time,
 * after everything before them that is no dataset.
 */
export async function importLines(app: App, input: NodeJS.ReadableStream, progress: Progress): Promise<Summary> {
  const summary: Summary = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  const put = createImporter(app);
  const running = new Map<string, Promise<void>>(); // by ids and names
  let line = 0;
  let bytes = 0;
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    bytes += Buffer.byteLength(text) + 1;
    if (text.trim() !== '') await start(line, text, bytes);
  }
  await Promise.all(running.values());
  return summary;

  async function start(line: number, text: string, bytes: number): Promise<void> {
    let record: Dictionary;
    try {
      record = parseRecord(text);
    } catch (thrown) {
      return fail(line, '', thrown);
    }
    const keys = [record.id, record.name].map(String);
    // Two records of one dataset keep their order.
    if (kindOf(record) !== 'dataset' || keys.some((key) => running.has(key))) await Promise.all(running.values());
    else if (new Set(running.values()).size >= PARALLEL) await Promise.race(running.values());
    const work = one(line, record).finally(() => {
      for (const key of keys) running.delete(key);
      progress.report(bytes, `${sum(summary)} records`);
    });
    for (const key of keys) running.set(key, work);
    if (kindOf(record) !== 'dataset') await work;
  }

  async function one(line: number, record: Dictionary): Promise<void> {
    try {
      const { outcome, id } = await put(record);
      summary[outcome] += 1;
      if (record.id && id !== record.id)
        progress.say(`line ${line}: ${whatIs(record)} has the id ${id} here and keeps it`);
    } catch (thrown) {
      fail(line, ` ${whatIs(record)}:`, thrown);
    }
  }

  function fail(line: number, what: string, thrown: unknown): void {
    summary.failed += 1;
    progress.say(`line ${line}:${what} ${reasonOf(thrown)}`);
  }
}

const whatIs = (record: Dictionary): string => `${kindOf(record)} ${titleOf(record)}`;

const sum = ({ created, updated, unchanged, failed }: Summary): number => created + updated + unchanged + failed;

function describe(summary: Summary, seconds: number): string {
  const counts = Object.entries(summary)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ');
  return `${counts}; ${seconds.toFixed(1)} s, ${Math.round(sum(summary) / seconds)} records a second`;
}
