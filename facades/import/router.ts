/**
 * Serves `POST /import`: many records as JSON Lines in one request, in the Action API's format, with one result line per record, streamed.
 * Not a GraphQL operation: each record goes through operations of its own and succeeds or fails separately.
 */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Router } from 'express';
import type { Call } from '../../src/kernel/call.ts';
import { CatalogError } from '../../src/kernel/errors.ts';
import type { LineResult } from '../../src/kernel/line-result.ts';
import { wireName } from '../../src/records/form/names.ts';
import { CORS, retryHeader, sendText } from '../shared/http.ts';
import { mediaTypeOf } from '../shared/media-type.ts';
import { STATUS } from '../shared/status.ts';
import { onTheWire } from '../shared/wire/problems.ts';

/** The reason why later lines were skipped. */
interface Stopped {
  readonly line: number;
  readonly reason: CatalogError;
}

export interface ImportOptions {
  readonly callFor: (req: IncomingMessage) => Call | Promise<Call>;
  /** Refuses callers without any create or edit permission. @throws CatalogError NOT_AUTHORIZED, RATE_LIMIT */
  readonly admit: (call: Call) => Promise<void>;
  /** Imports the lines of a stream and counts the outcomes. */
  readonly bringIn: (
    call: Call,
    input: AsyncIterable<Buffer>,
    options: {
      maxBytes: number;
      report: (result: LineResult) => void | Promise<void>;
      onStop: (stopped: Stopped) => void;
      signal: AbortSignal;
      replace: boolean;
    },
  ) => Promise<Readonly<Record<LineResult['outcome'], number>>>;
  /** Maximum bytes of a line (catalog.limits.json_body). */
  readonly maxBytes: number;
  readonly onDefect: (thrown: unknown, line: number) => string;
}

const NDJSON = 'application/x-ndjson';
const ACCEPTED = new Set([NDJSON, 'application/ndjson', 'application/jsonl', 'application/json-lines']);

/** Maximum buffered bytes of results for a client that sends without reading. Above it, the import pauses. */
const WAITING = 32 * 1024 * 1024;

export function importRouter(options: ImportOptions): Router {
  const router = express.Router({ caseSensitive: true });
  router.post('/import', (req, res, next) => {
    answer(req, res, options).catch((failure: unknown) => {
      if (res.headersSent || !(failure instanceof CatalogError)) return next(failure);
      refuse(res, STATUS[failure.kind], failure.kind, failure.message);
    });
  });
  router.all('/import', (_req, res) => {
    res.setHeader('allow', 'POST');
    refuse(res, 405, 'VALIDATION', 'Send records with POST, one JSON object per line');
  });
  return router;
}

async function answer(req: IncomingMessage, res: ServerResponse, options: ImportOptions): Promise<void> {
  if (!ACCEPTED.has(mediaTypeOf(req)))
    return refuse(res, 415, 'VALIDATION', `Content-Type must be ${NDJSON}: one JSON object per line`);
  if ((req.headers['content-encoding'] ?? 'identity') !== 'identity')
    return refuse(res, 415, 'VALIDATION', 'Content-Encoding is not supported: send plain lines');
  const replace = replaceOf(req);
  if (replace === null) return refuse(res, 400, 'VALIDATION', '`replace` must be true or false');
  const call = await options.callFor(req);
  if (call.actor.userId === null) return refuse(res, 403, 'NOT_AUTHORIZED', 'Access denied: sign in to import records');
  await options.admit(call);

  const gone = new AbortController();
  res.on('close', () => gone.abort());
  res.writeHead(200, { ...CORS, 'content-type': `${NDJSON}; charset=utf-8`, 'cache-control': 'no-store' });
  res.flushHeaders();
  const say = (line: unknown): void => void res.write(`${JSON.stringify(line)}\n`);
  const report = async (result: LineResult): Promise<void> => {
    say(described(result, options));
    if (res.writableLength > WAITING) await once(res, 'drain', { signal: gone.signal }).catch(() => {});
  };
  const stops: Stopped[] = [];
  const onStop = (it: Stopped) => void stops.push(it);
  const input = req.iterator({ destroyOnReturn: false }); // keeps the connection open for an early response
  try {
    const { maxBytes } = options;
    const summary = await options.bringIn(call, input, { maxBytes, report, onStop, signal: gone.signal, replace });
    say({ summary, ...(stops[0] && { stopped: whyStopped(stops[0]) }) });
    res.end();
    req.resume(); // discards the rest: most clients do not read while they send
  } catch (failure) {
    if (gone.signal.aborted) return; // the client disconnected; imported records stay
    throw failure;
  }
}

const whyStopped = ({ line, reason }: Stopped) => ({
  line,
  code: reason.kind,
  message: `Stopped after line ${line}: ${reason.message}. Later lines were not read. Send them again.`,
});

const FLAGS: ReadonlyMap<string | null, boolean> = new Map([
  [null, false],
  ['false', false],
  ['0', false],
  ['true', true],
  ['1', true],
]);

/** Whether a record may update an object of another id with its name; null when the parameter is not a boolean. */
const replaceOf = ({ url = '' }: IncomingMessage): boolean | null =>
  FLAGS.get(new URLSearchParams(url.split('?')[1] ?? '').get('replace')) ?? null;

function described({ line, record, outcome, id, failure, remarks }: LineResult, options: ImportOptions) {
  const name = record?.name;
  const what = {
    line,
    outcome,
    ...(id !== undefined && { id }),
    ...(typeof name === 'string' && { name }),
    ...(remarks && { remarks }),
  };
  if (outcome !== 'failed') return what;
  if (failure instanceof CatalogError) {
    const { kind, message, problems } = failure;
    const all = problems.length > 0 ? onTheWire(problems) : [{ path: [], message: message || kind }];
    const fieldPath = (path: readonly (string | number)[]) =>
      path.map((step) => (typeof step === 'number' ? step : wireName(step)));
    return { ...what, errors: all.map((one) => ({ code: kind, message: one.message, path: fieldPath(one.path) })) };
  }
  const isLine = record === null && failure instanceof Error;
  const message = isLine ? failure.message : `Internal error, id ${options.onDefect(failure, line)}`;
  return { ...what, errors: [{ code: isLine ? 'VALIDATION' : 'INTERNAL_SERVER_ERROR', message, path: [] }] };
}

function refuse(res: ServerResponse, status: number, code: string, message: string): void {
  sendText(
    res,
    status,
    'application/json; charset=utf-8',
    `${JSON.stringify({ errors: [{ code, message, path: [] }] })}\n`,
    retryHeader(res, status),
  );
}
