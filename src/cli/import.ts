/** `catalog import`: imports a file of records, one JSON object per line. Reports refused records and continues. */
import { createReadStream, statSync } from 'node:fs';
import type { App } from '../app.ts';
import type { Dictionary } from '../records/gateway.ts';
import { type ImportOptions, reasonOf } from '../records/import/importer.ts';
import { importLines, type Summary } from '../records/import/lines.ts';
import { kindOf } from '../records/import/recognize.ts';
import { titleOf } from '../records/record.ts';
import { operatorRunner, withCatalog } from './catalog.ts';
import { type Command, CommandFailure, UsageError } from './command.ts';
import { readArgs } from './options.ts';
import { createProgress, type Progress } from './progress.ts';

/** Maximum bytes of a line. The operator's file may contain larger records than requests. */
const MAX_LINE = 256 * 1024 * 1024;

export const command: Command = async (args, context) => {
  const { values, words } = readArgs('import', args);
  const file = words[0]!;
  const total = file === '-' ? null : statSync(file, { throwIfNoEntry: false })?.size;
  if (total === undefined) throw new UsageError(`File not found: ${file}`);
  const start = performance.now();
  const summary = await withCatalog(context, async ({ app }) => {
    const progress = createProgress(total);
    try {
      return await importFile(app, file === '-' ? process.stdin : createReadStream(file), progress, values);
    } finally {
      progress.stop();
    }
  });
  console.log(describe(summary, (performance.now() - start) / 1000));
  if (summary.failed > 0)
    throw new CommandFailure(
      `${summary.failed} ${summary.failed === 1 ? 'record' : 'records'} failed. The lines above give the reasons.`,
    );
};

/** Imports every line as the operator. Reports refused lines, and differences between the file and the result. */
export function importFile(
  app: App,
  input: NodeJS.ReadableStream,
  progress: Progress,
  options: ImportOptions = {},
): Promise<Summary> {
  let records = 0;
  return importLines(operatorRunner(app), input as AsyncIterable<Buffer>, {
    ...options,
    maxBytes: MAX_LINE,
    report({ line, bytes, record, outcome, id, failure, remarks = [] }) {
      records += 1;
      progress.report(bytes, `${records} records`);
      if (outcome === 'failed')
        progress.say(`line ${line}:${record ? ` ${whatIs(record)}:` : ''} ${reasonOf(failure)}`);
      else if (record?.id && id !== record.id)
        progress.say(`line ${line}: ${whatIs(record)} keeps its id ${id} in this catalog`);
      for (const remark of remarks) progress.say(`line ${line}: ${record ? whatIs(record) : ''}: ${remark}`);
    },
  });
}

const whatIs = (record: Dictionary): string => `${kindOf(record) ?? 'record'} ${titleOf(record)}`;

const sum = ({ created, updated, unchanged, failed }: Summary): number => created + updated + unchanged + failed;

function describe(summary: Summary, seconds: number): string {
  const counts = Object.entries(summary)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ');
  return `${counts}; ${seconds.toFixed(1)} s, ${Math.round(sum(summary) / seconds)} records per second`;
}
