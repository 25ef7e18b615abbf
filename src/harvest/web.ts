/** HTTP client for sources, with rate limit, retries with backoff, and timeouts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type HttpResponse, PrivateAddress, request } from '../infra/http/client.ts';

/** A failure of the source, with a message for users. A refused request has its HTTP status. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly status: number | null;

  constructor(message: string, status: number | null = null) {
    super(message);
    this.status = status;
  }
}

/** The response exceeds its maximum size. */
export class TooLarge extends SourceError {}

export interface WebOptions {
  /** A URL on the source's host. */
  readonly source: string;
  /** Maximum requests per second. */
  readonly perSecond: number;
  /** Sent to the source's own origin only, regardless of redirects and links. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether private networks and the local host are allowed targets. */
  readonly mayReachPrivate: boolean;
  /** Aborts everything. */
  readonly signal: AbortSignal;
  /** ms before the first retry; doubles with every retry. */
  readonly pause?: number;
  /** Maximum ms of one response, even when bytes arrive steadily. */
  readonly maxDuration?: number;
}

/** A response whose body is unread. Reading more than the maximum fails. */
export interface Answer {
  readonly url: string;
  readonly type: string;
  readonly body: AsyncGenerator<Buffer>;
}

export interface JsonOptions {
  /** Maximum unpacked bytes of the response. */
  readonly maxBytes?: number;
  /** Parses the text; defaults to JSON.parse. */
  readonly parse?: (text: string) => unknown;
}

export interface Web {
  /** A successful response. @throws SourceError */
  open(url: string, accept: string, max: number): Promise<Answer>;
  /** The JSON of a response with any status. @throws SourceError, TooLarge */
  json(url: string, how?: JsonOptions): Promise<{ status: number; value: unknown }>;
}

/** Maximum unpacked bytes of a JSON response. */
const MAX_JSON_BYTES = 64 * 2 ** 20;
const AGENT = 'catalog-gateway harvester';
const TRIES = 5;
const MAX_REDIRECTS = 5;
/** Maximum ms without a byte. */
const TIMEOUT = 60_000;
/** Maximum ms of one response. It also ends responses that send a byte now and then. */
const MAX_DURATION = 15 * 60_000;
/** Maximum ms of a `Retry-After`. */
const MAX_WAIT = 5 * 60_000;
const BUSY = new Set([408, 425, 429, 500, 502, 503, 504]);

interface Client extends Required<Omit<WebOptions, 'source'>> {
  readonly origin: string;
  /** When the next request may start, by Date.now(). */
  next: number;
}

export function createWeb({ source, ...options }: WebOptions): Web {
  const client: Client = {
    headers: {},
    pause: 1_000,
    maxDuration: MAX_DURATION,
    ...options,
    origin: new URL(source).origin,
    next: 0,
  };
  return {
    async open(url, accept, max) {
      const answer = await patiently(client, url, accept);
      if (answer.status < 200 || answer.status > 299) {
        answer.body.destroy();
        throw new SourceError(`${url} responded with ${answer.status}`, answer.status);
      }
      return { url: answer.url, type: String(answer.headers['content-type'] ?? ''), body: limited(answer, max) };
    },
    async json(url, { maxBytes = MAX_JSON_BYTES, parse = JSON.parse } = {}) {
      const answer = await patiently(client, url, 'application/json');
      const chunks: Buffer[] = [];
      for await (const chunk of limited(answer, maxBytes)) chunks.push(chunk);
      try {
        return { status: answer.status, value: parse(Buffer.concat(chunks).toString('utf8')) as unknown };
      } catch {
        throw new SourceError(`${url} responded with ${answer.status} and no JSON`);
      }
    },
  };
}

/** Retries when the source is busy or unreachable. */
async function patiently(client: Client, url: string, accept: string): Promise<Located> {
  for (let attempt = 1; ; attempt += 1) {
    const answered = await once(client, url, accept).catch((thrown: unknown) => {
      client.signal.throwIfAborted();
      if (thrown instanceof SourceError) throw thrown;
      if (thrown instanceof PrivateAddress) throw new SourceError(thrown.message);
      if (attempt === TRIES) throw new SourceError(`${url} cannot be reached: ${reasonOf(thrown)}`);
      return null;
    });
    if (answered && (!BUSY.has(answered.status) || attempt === TRIES)) return answered;
    const requested = waitOf(answered);
    answered?.body.destroy();
    if (requested > MAX_WAIT)
      throw new SourceError(`${url} refuses requests for the next ${Math.ceil(requested / 1_000)} s (Retry-After)`);
    await sleep(Math.max(requested, client.pause * 2 ** (attempt - 1)), undefined, { signal: client.signal });
  }
}

/** Follows redirects: checks each URL, and sends the source's headers to its own origin only. */
async function once(client: Client, url: string, accept: string): Promise<Located> {
  let at = new URL(url);
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    if (at.protocol !== 'http:' && at.protocol !== 'https:')
      throw new SourceError(`${at.href} is not an http or https URL`);
    await turn(client);
    const own = at.origin === client.origin ? client.headers : {};
    const time = AbortSignal.timeout(client.maxDuration);
    const answer = await request(at, {
      headers: { 'user-agent': AGENT, accept, ...own },
      signal: AbortSignal.any([client.signal, time]),
      mayReachPrivate: client.mayReachPrivate,
      timeout: TIMEOUT,
    });
    const target = answer.status >= 301 && answer.status <= 308 ? answer.headers.location : undefined;
    if (target === undefined) return { ...answer, url: at.href, time };
    answer.body.destroy();
    if (!URL.canParse(target, at)) throw new SourceError(`${at.href} redirects to an invalid URL`);
    at = new URL(target, at);
  }
  throw new SourceError(`${url} redirects more than ${MAX_REDIRECTS} times`);
}

/** Waits for a slot of the rate limit. */
async function turn(client: Client): Promise<void> {
  const now = Date.now();
  const at = Math.max(now, client.next);
  client.next = at + 1_000 / client.perSecond;
  if (at > now) await sleep(at - now, undefined, { signal: client.signal });
}

/** A response, and the URL it came from. */
interface Located extends HttpResponse {
  readonly url: string;
  /** Aborted on timeout. */
  readonly time: AbortSignal;
}

/** `Retry-After` in ms; 0 when missing. */
function waitOf(answer: Located | null): number {
  const said = answer?.headers['retry-after']?.trim();
  if (!said) return 0;
  const wait = /^\d+$/.test(said) ? Number(said) * 1_000 : Date.parse(said) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, wait) : 0;
}

/** The body, up to its maximum size. */
async function* limited({ url, body, time }: Located, max: number): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > max) throw new TooLarge(`${url} returned more than ${Math.floor(max / 2 ** 20)} MiB`);
      yield chunk;
    }
  } catch (thrown) {
    if (thrown instanceof SourceError) throw thrown;
    throw new SourceError(
      time.aborted ? `${url} timed out` : `${url} could not be read completely: ${reasonOf(thrown)}`,
    );
  }
}

const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message || (thrown as NodeJS.ErrnoException).code || thrown.name : String(thrown);
