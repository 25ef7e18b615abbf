/** Sends requests with retries, and reads responses. */
import { CatalogFailure, failureOf, type GraphError, type Problem } from './failure.ts';

export interface Asking {
  /** Attempts after the first one. */
  readonly retries: number;
  /** Maximum seconds to wait before a retry. */
  readonly maxDelay: number;
  /** Whether the request can be repeated even if the server may have executed it. */
  readonly isSafe: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Rate limit: nothing was executed. */
const TOO_MUCH = 429;
/** The server, or a part of it, is down. The request may have been executed. */
const DOWN: ReadonlySet<number> = new Set([502, 503, 504]);

/** The first response that needs no retry, or the last one. @throws CatalogFailure (status 0) without a response; the signal's reason */
export async function ask(
  send: () => Promise<Response>,
  { retries, maxDelay, isSafe, signal }: Asking,
): Promise<Response> {
  for (let tries = 0; ; tries += 1) {
    const response = await reach(send, signal);
    const wait = secondsOf(response) ?? Math.min(2 ** tries, maxDelay);
    const isLater = response.status === TOO_MUCH || (isSafe && DOWN.has(response.status));
    if (!isLater || tries >= retries || wait > maxDelay) return response;
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

/** Retry-After in seconds. Null without it. */
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

/** The failure of a refused request outside the graph, such as an upload. */
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
    throw new CatalogFailure('The response was interrupted', { status: 0, cause });
  });

/** Empty if the text is not a JSON object. */
function parsed<Answer extends object>(text: string): Partial<Answer> {
  try {
    const answer = JSON.parse(text);
    return typeof answer === 'object' && answer !== null ? answer : {};
  } catch {
    return {};
  }
}

const unreadable = (response: Response, text: string): CatalogFailure =>
  new CatalogFailure(`Not a GraphQL response (status ${response.status}): ${text.slice(0, 200)}`, sourceOf(response));

const sourceOf = (response: Response) => ({
  status: response.status,
  requestId: response.headers.get('x-request-id'),
  retryAfter: secondsOf(response),
});
