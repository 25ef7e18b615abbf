/** Imports records from JSON lines, a few datasets at a time. Reports the result of each line when it is known. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CatalogError } from '../../kernel/errors.ts';
import { hasMoreValues } from '../../kernel/json-size.ts';
import type { LineResult } from '../../kernel/line-result.ts';
import { checkText } from '../../kernel/text.ts';
import type { Dictionary, RecordRunner } from '../gateway.ts';
import { parseRecord } from '../record.ts';
import { createImporter, type Imported, type ImportOptions, requireKind } from './importer.ts';

/** Maximum datasets imported concurrently. */
const PARALLEL = 4;

/** ms of work after which the event loop gets a turn. */
const MAX_TURN = 10;

/** Maximum parent links that wait until all lines are imported. Only ids and names are stored, about 500 bytes each. */
const MAX_WAITING = 100_000;

export type Summary = Record<LineResult['outcome'], number>;

/** The reason why an import stopped before its end. */
export interface Stopped {
  /** The last line that was started. */
  readonly line: number;
  readonly reason: CatalogError;
}

export interface LineOptions extends ImportOptions {
  /** Maximum bytes of a line. */
  readonly maxBytes: number;
  /** Maximum consecutive failed lines, after which the import stops. Unlimited by default. */
  readonly maxFailures?: number;
  /** Maximum JSON values in a line, at all levels. Unlimited by default. */
  readonly maxValues?: number;
  /** Charges the cost of a line. If it throws a CatalogError, the import stops before that line. */
  readonly charge?: () => void;
  readonly report: (result: LineResult) => void | Promise<void>;
  /** Called with line and reason when the import stops before its end. */
  readonly onStop?: (stopped: Stopped) => void;
  readonly signal?: AbortSignal;
}

/**
 * Imports every line and returns the counts of outcomes. Organizations and groups are imported one after the other, in the order of
 * the lines. Datasets are imported concurrently, after the organizations and groups before them. `report` is called when a line is
 * done, and a slow report delays further lines. Records that wait for a parent on a later line are reported at the end. Stops before
 * the next line when `signal` is aborted, after `maxFailures`, and when `charge` throws or a record fails with RATE_LIMIT.
 */
export async function importLines(
  runner: RecordRunner,
  input: AsyncIterable<Buffer | string>,
  { maxBytes, maxFailures = Infinity, maxValues = Infinity, charge, report, onStop, signal, ...options }: LineOptions,
): Promise<Summary> {
  const tally = new Tally(maxFailures);
  const importer = createImporter(runner, options);
  const waiting: { result: LineResult; imported: Imported }[] = [];
  const lanes = new Lanes();
  let links = 0;
  let bytesRead = 0;
  let begun = 0;
  let turn = performance.now();
  for await (const line of linesOf(input, maxBytes)) {
    if (signal?.aborted) break;
    if (performance.now() - turn > MAX_TURN) {
      await nextTurn();
      turn = performance.now();
    }
    if (line.text !== null && line.text.trim() === '') continue;
    if (tally.isFull()) await lanes.settled(); // one of these may succeed
    tally.stopped ??= tally.reasonToStop(begun, charge);
    if (tally.stopped) break;
    begun = line.line;
    await start(line);
  }
  await lanes.settled();
  for (const { result, imported } of waiting) {
    if (signal?.aborted) break;
    // The record itself is imported, even if linking it to its parents fails.
    const remarks = await importer
      .complete(imported)
      .catch((failure: unknown) => [`its missing parents were not retried: ${(failure as Error).message}`]);
    await done({ ...result, bytes: bytesRead, remarks: [...(result.remarks ?? []), ...remarks] });
  }
  if (tally.stopped) onStop?.(tally.stopped);
  return tally.summary;

  async function start({ text, line, bytes }: Line): Promise<void> {
    bytesRead = bytes;
    const { record, kind, failure } = readLine(text, maxBytes, maxValues);
    if (kind === null) return done({ line, bytes, record, outcome: 'failed', failure });
    const given = record;
    await lanes.start([given.id, given.name].map(String), kind !== 'dataset', () =>
      importer.put(given).then(
        (imported) => came({ line, bytes, record: given, ...imported }, imported),
        (failure: unknown) => done({ line, bytes, record: given, outcome: 'failed', failure }),
      ),
    );
  }

  function came({ line, bytes, record, outcome, id, remarks = [] }: LineResult, imported: Imported) {
    const result: LineResult = { line, bytes, record, outcome, id, ...(remarks.length > 0 && { remarks }) };
    const { parents } = imported;
    if (parents === null) return done(result);
    tally.succeeded(line);
    links += parents.groups.length + parents.missing.length;
    if (links <= MAX_WAITING) return void waiting.push({ result: { ...result, record: partOf(record) }, imported });
    const late = `more than ${MAX_WAITING} parent links are pending; import the file again to set them`;
    return done({ ...result, remarks: [...remarks, late] });
  }

  function done(result: LineResult): void | Promise<void> {
    tally.add(result);
    return report(result);
  }
}

/** Runs imports concurrently, those with a common id or name in order. */
class Lanes {
  readonly #running = new Map<string, Promise<void>>(); // by ids and names

  /** Waits for a free lane and starts the work. If it must be alone, waits for the work before it, and for its end. */
  async start(keys: readonly string[], isAlone: boolean, work: () => Promise<void>): Promise<void> {
    const running = this.#running;
    if (isAlone || keys.some((key) => running.has(key))) await this.settled();
    else if (new Set(running.values()).size >= PARALLEL) await Promise.race(running.values());
    const started = work().finally(() => {
      for (const key of keys) running.delete(key);
    });
    for (const key of keys) running.set(key, started);
    if (isAlone) await started;
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }
}

/** Counts results, and decides when an import stops. */
class Tally {
  readonly summary: Summary = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  stopped: Stopped | null = null;
  readonly #maxFailures: number;
  /** Failed lines after the last successful one. */
  #failed: number[] = [];
  #lastGood = 0;

  constructor(maxFailures: number) {
    this.#maxFailures = maxFailures;
  }

  isFull(): boolean {
    return this.#failed.length >= this.#maxFailures;
  }

  /** The reason to stop after the line `begun`. Null to continue: the next line is charged. */
  reasonToStop(begun: number, charge?: () => void): Stopped | null {
    if (this.isFull()) {
      const said = `${this.#failed.length} consecutive lines failed (catalog.limits.import_failures)`;
      return { line: begun, reason: new CatalogError('LIMIT', said) };
    }
    try {
      charge?.();
      return null;
    } catch (reason) {
      if (reason instanceof CatalogError) return { line: begun, reason };
      throw reason;
    }
  }

  /** A successful line ends a run of failures. */
  succeeded(line: number): void {
    this.#lastGood = Math.max(this.#lastGood, line);
    this.#failed = this.#failed.filter((it) => it > this.#lastGood);
  }

  add({ line, outcome, failure }: LineResult): void {
    this.summary[outcome] += 1;
    if (outcome !== 'failed') this.succeeded(line);
    else if (line > this.#lastGood && this.#maxFailures !== Infinity) this.#failed.push(line);
    if (failure instanceof CatalogError && failure.kind === 'RATE_LIMIT') this.stopped ??= { line, reason: failure };
  }
}

type ReadLine =
  | { readonly record: Dictionary; readonly kind: ReturnType<typeof requireKind>; readonly failure?: undefined }
  | { readonly record: Dictionary | null; readonly kind: null; readonly failure: unknown };

/** The record of a line; `text` is null if the line is too long. */
function readLine(text: string | null, maxBytes: number, maxValues: number): ReadLine {
  let record: Dictionary | null = null;
  try {
    if (text === null) throw new Error(`The line has more than ${maxBytes} bytes`);
    if (hasMoreValues(text, maxValues))
      throw new Error(`The line has more than ${maxValues} values (catalog.limits.json_values)`);
    record = parseRecord(text);
    checkText(record, Infinity); // before anything serializes it: JSON.stringify supports less nesting than JSON.parse
    return { record, kind: requireKind(record) };
  } catch (failure) {
    return { record, kind: null, failure };
  }
}

/** The part of a record that messages use. */
const partOf = (record: LineResult['record']): Dictionary =>
  Object.fromEntries(
    ['id', 'name', 'type', 'is_organization'].flatMap((key) =>
      record && Object.hasOwn(record, key) ? [[key, record[key]]] : [],
    ),
  );

interface Line {
  /** Null for a line above the maximum length. */
  readonly text: string | null;
  readonly line: number;
  readonly bytes: number;
}

const NEWLINE = 0x0a;

/** Splits a stream of bytes into lines. Holds at most `maxBytes` bytes of a line, plus one chunk. */
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
