/** Requests that wait where the server asks for it, and answers that are read. */
import { CatalogFailure, failureOf, type GraphError, type Problem } from './failure.ts';

export interface Asking {
  /** Tries after the first. */
  readonly retries: number;
  /** Seconds to wait at most before one more try. */
  readonly patience: number;
  /** Whether what was asked may be asked again when nobody knows whether it was done. */
  readonly isSafe: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Too much was asked: nothing was done. */
const TOO_MUCH = 429;
/** A part of the server is down, or there is none behind the proxy; what was asked may have been done. */
const DOWN: ReadonlySet<number> = new Set([502, 503, 504]);

/** The first answer that is not to be waited for, or the last. @throws CatalogFailure (0) when there is none; the signal's reason */
export async function ask(
  send: () => Promise<Response>,
  { retries, patience, isSafe, signal }: Asking,
): Promise<Response> {
  for (let tries = 0; ; tries += 1) {
    const response = await reach(send, signal);
    const wait = secondsOf(response) ?? Math.min(2 ** tries, patience);
    const isLater = response.status === TOO_MUCH || (isSafe && DOWN.has(response.status));
    if (!isLater || tries >= retries || wait > patience) return response;
    await response.body?.cancel();
    await pause(wait, signal);
  }
}

async function reach(send: () => Promise<Response>, signal: AbortSignal | undefined): Promise<Response> {
  try {
    return await send();
  } catch (cause) {
    signal?.throwIfAborted();
    throw new CatalogFailure('The server cannot be reached', { status: 0, cause });
  }
}

/** Resolves after so many seconds. @throws the signal's reason */
export function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, seconds * 1_000);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
  });
}

/** What Retry-After says, in seconds; null without it. */
function secondsOf({ headers }: Response): number | null {
  const said = headers.get('retry-after');
  return said !== null && /^\d+$/.test(said) ? Number(said) : null;
}

export interface GraphAnswer<Data> {
  readonly data?: Data;
  readonly errors?: readonly GraphError[];
}

/** All of the data. @throws CatalogFailure */
export async function read<Data>(response: Response, signal?: AbortSignal): Promise<Data> {
  const text = await textOf(response, signal);
  const answer = parsed<GraphAnswer<Data>>(text);
  if (!('data' in answer || 'errors' in answer)) throw unreadable(response, text);
  return dataOf(answer, response);
}

/** @throws CatalogFailure where there are errors */
export function dataOf<Data>({ data, errors }: GraphAnswer<Data>, response: Response): Data {
  if (errors?.length) throw failureOf(errors, sourceOf(response));
  return data as Data;
}

/** The failure that a refusal outside of the graph tells of, such as that of an upload. */
export async function refusalOf(response: Response, signal?: AbortSignal): Promise<CatalogFailure> {
  const text = await textOf(response, signal);
  const { errors = [] } = parsed<{ errors?: readonly (Problem & { code: string })[] }>(text);
  const [first] = errors;
  if (!first) return unreadable(response, text);
  return failureOf([{ ...first, extensions: { code: first.code, problems: errors } }], sourceOf(response));
}

const textOf = (response: Response, signal: AbortSignal | undefined): Promise<string> =>
  response.text().catch((cause) => {
    signal?.throwIfAborted();
    throw new CatalogFailure('The answer broke off', { status: 0, cause });
  });

/** Empty where the text is no object of JSON. */
function parsed<Answer extends object>(text: string): Partial<Answer> {
  try {
    const answer = JSON.parse(text);
    return typeof answer === 'object' && answer !== null ? answer : {};
  } catch {
    return {};
  }
}

const unreadable = (response: Response, text: string): CatalogFailure =>
  new CatalogFailure(
    `The answer is none of a graph (status ${response.status}): ${text.slice(0, 200)}`,
    sourceOf(response),
  );

const sourceOf = (response: Response) => ({
  status: response.status,
  requestId: response.headers.get('x-request-id'),
  retryAfter: secondsOf(response),
});
