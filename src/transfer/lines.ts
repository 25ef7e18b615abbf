/** Imports JSON Lines: one record per line, with limited concurrency, and reports each result as it completes. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CatalogError } from '../kernel/errors.ts';
import { hasMoreValues } from '../kernel/json-size.ts';
import type { LineResult } from '../kernel/line-result.ts';
import { checkText } from '../kernel/text.ts';
import { createImporter, type Imported, type ImportOptions, requireKind } from './importer.ts';
import type { ActionRunner, Dictionary } from './perform.ts';
import { parseRecord } from './records.ts';

/** Datasets written concurrently. */
const PARALLEL = 4;

/** ms of work on lines before the event loop gets a turn. */
const MAX_TURN = 10;

/** Maximum links to missing parents held until the end. Each stores ids and names only, about 500 bytes. */
const MAX_WAITING = 100_000;

export type Summary = Record<LineResult['outcome'], number>;

/** Why an import stopped. */
export interface Stopped {
  /** The last line that was started. */
  readonly line: number;
  readonly reason: CatalogError;
}

export interface LineOptions extends ImportOptions {
  /** Maximum bytes of a line. */
  readonly maxBytes: number;
  /** Maximum consecutive failed lines before the import stops; unlimited when omitted. */
  readonly maxFailures?: number;
  /** Maximum JSON values of a line, at all levels; unlimited when omitted. */
  readonly maxValues?: number;
  /** Charges the cost of a line. When it throws, the import stops before that line. */
  readonly charge?: () => void;
  readonly report: (result: LineResult) => void | Promise<void>;
  /** Called with the position and reason when the import stops early. */
  readonly onStop?: (stopped: Stopped) => void;
  readonly signal?: AbortSignal;
}

/**
 * Imports all lines and counts the outcomes. Writes organizations and groups one by one in order, and datasets concurrently, after all
 * preceding organizations and groups. Calls `report` for each finished line, and starts no other line until it resolves. Reports records that
 * wait for a later parent at the end. Stops before the next line when `signal` aborts, after `maxFailures`, and when the caller's budget is
 * spent.
 */
export async function importLines(
  runner: ActionRunner,
  input: AsyncIterable<Buffer | string>,
  { maxBytes, maxFailures = Infinity, maxValues = Infinity, charge, report, onStop, signal, ...options }: LineOptions,
): Promise<Summary> {
  const summary: Summary = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  const importer = createImporter(runner, options);
  const waiting: { result: LineResult; imported: Imported }[] = [];
  let links = 0;
  let bytesRead = 0;
  const running = new Map<string, Promise<void>>(); // by ids and names
  let failed: number[] = []; // lines after the last successful one
  let lastGood = 0;
  let begun = 0;
  let turn = performance.now();
  for await (const line of linesOf(input, maxBytes)) {
    if (signal?.aborted) break;
    if (performance.now() - turn > MAX_TURN) {
      await nextTurn();
      turn = performance.now();
    }
    if (line.text !== null && line.text.trim() === '') continue;
    if (failed.length >= maxFailures) await Promise.all(running.values()); // a running one may succeed
    stopped ??= reasonToStop();
    if (stopped) break;
    begun = line.line;
    await start(line);
  }
  await Promise.all(running.values());
  for (const { result, imported } of waiting) {
    if (signal?.aborted) break;
    // The record itself is written, whatever happens to its parents.
    const remarks = await importer
      .complete(imported)
      .catch((failure: unknown) => [`its missing parents were not retried: ${(failure as Error).message}`]);
    await done({ ...result, bytes: bytesRead, remarks: [...(result.remarks ?? []), ...remarks] });
  }
  if (stopped) onStop?.(stopped);
  return summary;

  /** Null to continue: the cost of the next line is then charged. */
  function reasonToStop(): Stopped | null {
    if (failed.length >= maxFailures) {
      const said = `${failed.length} consecutive lines failed (catalog.limits.import_failures)`;
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

  async function start({ text, line, bytes }: Line): Promise<void> {
    bytesRead = bytes;
    try {
      if (text === null) throw new Error(`longer than ${maxBytes} bytes`);
      if (hasMoreValues(text, maxValues)) throw new Error(`more than ${maxValues} values (catalog.limits.json_values)`);
      record = parseRecord(text);
      checkText(record, Infinity); // before serializing it: nested values that JSON.parse accepts can be too deep for JSON.stringify
      kind = requireKind(record);
    } catch (failure) {
      return done({ line, bytes, record, outcome: 'failed', failure });
    }
    const given = record;
    const keys = [given.id, given.name].map(String);
    // Keeps the order of two records of one dataset.
    if (kind !== 'dataset' || keys.some((key) => running.has(key))) await Promise.all(running.values());
    else if (new Set(running.values()).size >= PARALLEL) await Promise.race(running.values());
    const work = importer
      .put(given)
      .then(
        (imported) => came({ line, bytes, record: given, ...imported }, imported),
        (failure: unknown) => done({ line, bytes, record: given, outcome: 'failed', failure }),
      )
      .finally(() => {
        for (const key of keys) running.delete(key);
      });
    for (const key of keys) running.set(key, work);
    if (kind !== 'dataset') await work;
  }

  function came({ line, bytes, record, outcome, id, remarks = [] }: LineResult, imported: Imported) {
    const result: LineResult = { line, bytes, record, outcome, id, ...(remarks.length > 0 && { remarks }) };
    const { parents } = imported;
    if (parents === null) return done(result);
    succeeded(line);
    links += parents.groups.length + parents.missing.length;
    if (links <= MAX_WAITING) return void waiting.push({ result: { ...result, record: partOf(record) }, imported });
    const late = `more than ${MAX_WAITING} parent links are pending; import the file again to set them`;
    return done({ ...result, remarks: [...remarks, late] });
  }

  /** A successful line resets the count of failures. */
  function succeeded(line: number): void {
    lastGood = Math.max(lastGood, line);
    failed = failed.filter((it) => it > lastGood);
  }

  function done(result: LineResult): void | Promise<void> {
    summary[result.outcome] += 1;
    const { line, failure } = result;
    if (result.outcome !== 'failed') succeeded(line);
    else if (line > lastGood && maxFailures !== Infinity) failed.push(line);
    if (failure instanceof CatalogError && failure.kind === 'RATE_LIMIT') stopped ??= { line, reason: failure };
    return report(result);
  }
}

/** The keys of a record used in messages. */
const partOf = (record: LineResult['record']): Dictionary =>
  Object.fromEntries(
    ['id', 'name', 'type', 'is_organization'].flatMap((key) =>
      record && Object.hasOwn(record, key) ? [[key, record[key]]] : [],
    ),
  );

interface Line {
  /** Null when longer than the maximum. */
  readonly text: string | null;
  readonly line: number;
  readonly bytes: number;
}

const NEWLINE = 0x0a;

/** The lines of a byte stream. Holds at most `maxBytes` of a line. */
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
