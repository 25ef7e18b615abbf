/** The client: typed operations, pagination, subscriptions, uploads and retries. */
import { ask, read } from './ask.ts';
import type { Document } from './document.ts';
import { CatalogFailure } from './failure.ts';
import { BeginUpload, ChangesEnd } from './operations.ts';
import { follow } from './subscribe.ts';
import { sendFile, type Uploaded, type UploadOptions } from './upload.ts';

export interface CatalogOptions {
  /** Address of the site, such as `https://data.example.org`. */
  readonly url: string;
  /** An API key or token. Omit it for anonymous access. */
  readonly key?: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Maximum number of retries if the server is busy. Default: 3. */
  readonly retries?: number;
  /** Maximum seconds to wait before a retry. If the server requests more, the call fails. Default: 60. */
  readonly maxDelay?: number;
}

/** A page of a connection. */
export interface Page<Node> {
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
}

/** Variables of an operation that continues after a cursor. */
export interface Cursored {
  after?: string | null | undefined;
}

export interface AskOptions {
  /** Aborts the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface Catalog {
  /**
   * Runs one operation and returns all of its data. Waits and retries if a rate limit is exceeded (429), or if the server is down (502,
   * 503, 504). Mutations without `idempotencyKey` are not retried if the server is down, because they may have been executed.
   * @throws CatalogFailure, also if only a part of the data failed: RateLimited, Conflict, Invalid and others
   */
  run<Data, Variables>(document: Document<Data, Variables>, variables: Variables, options?: AskOptions): Promise<Data>;
  /** Yields the pages of a connection, starting after `variables.after`. `pageOf` returns the connection in the data. */
  pages<Data, Variables extends Cursored, Found extends Page<unknown>>(
    document: Document<Data, Variables>,
    variables: Variables,
    pageOf: (data: Data) => Found,
    options?: AskOptions,
  ): AsyncGenerator<Found, void, undefined>;
  /** Yields all nodes of a connection. Requests pages when they are needed. */
  all<Data, Variables extends Cursored, Node>(
    document: Document<Data, Variables>,
    variables: Variables,
    pageOf: (data: Data) => Page<Node>,
    options?: AskOptions,
  ): AsyncGenerator<Node, void, undefined>;
  /**
   * Yields the data of each event of a subscription, in order and once. Opens a lost connection again after `cursorOf` the last event.
   * Without `variables.after` it starts now, at `changesEnd`. Ends if the signal aborts or the caller leaves the loop.
   * @throws CatalogFailure if the subscription is refused, or the server cannot be reached at the start
   */
  subscribe<Data, Variables extends Cursored>(
    document: Document<Data, Variables>,
    variables: Variables,
    cursorOf: (data: Data) => string | null | undefined,
    options?: AskOptions,
  ): AsyncGenerator<Data, void, undefined>;
  /**
   * Sends a file. Use the result as `upload` of a mutation within an hour. Blobs are streamed: in Node, `openAsBlob(path)` opens files of
   * any size. @throws CatalogFailure
   */
  upload(file: Blob, options?: UploadOptions): Promise<Uploaded>;
}

const ANSWER = 'application/graphql-response+json, application/json;q=0.9';
const EVENTS = 'text/event-stream, application/graphql-response+json;q=0.9';

export function createCatalog({
  url,
  key,
  fetch = globalThis.fetch,
  retries = 3,
  maxDelay = 60,
}: CatalogOptions): Catalog {
  const address = `${url.replace(/\/+$/, '')}/graphql`;
  const retrying = { retries, maxDelay };

  /** Sends an operation. */
  function post(text: string, variables: unknown, accept: string, signal: AbortSignal | undefined): Promise<Response> {
    const headers = { 'content-type': 'application/json', accept, ...(key !== undefined && { authorization: key }) };
    const body = JSON.stringify({ query: text, variables });
    return fetch(address, { method: 'POST', headers, body, ...(signal && { signal }) });
  }

  const run: Catalog['run'] = async ({ text }, variables, { signal } = {}) => {
    const isSafe = !/\bmutation\b/.test(text) || isRepeatable(variables);
    return read(await ask(() => post(text, variables, ANSWER, signal), { ...retrying, isSafe, signal }), signal);
  };

  const pages: Catalog['pages'] = async function* (document, variables, pageOf, options) {
    let { after } = variables;
    while (true) {
      const page = pageOf(await run(document, { ...variables, after }, options));
      yield page;
      const { hasNextPage, endCursor } = page.pageInfo;
      if (!hasNextPage) return;
      if (endCursor === after)
        throw new CatalogFailure('The cursor did not change. Add endCursor to pageInfo in the operation.', {
          status: 200,
        });
      after = endCursor;
    }
  };

  return {
    run,
    pages,
    async *all(document, variables, pageOf, options) {
      for await (const { nodes } of pages(document, variables, pageOf, options)) yield* nodes;
    },
    subscribe: ({ text }, variables, cursorOf, { signal } = {}) =>
      follow({
        ...retrying,
        after: async () => variables.after ?? (await run(ChangesEnd, {}, { ...(signal && { signal }) })).changesEnd,
        cursorOf,
        signal,
        open: (after, stop) => post(text, { ...variables, after }, EVENTS, stop),
      }),
    async upload(file, options = {}) {
      const { contentType = file.type || 'application/octet-stream', sha256, signal } = options;
      const input = { size: file.size, contentType, ...(sha256 !== undefined && { sha256 }) };
      const { beginUpload } = await run(BeginUpload, { input }, options);
      return sendFile(file, beginUpload, { ...options, ...retrying, fetch, signal });
    },
  };
}

/** Whether a mutation with these variables is executed once, even if it is sent repeatedly. */
function isRepeatable(variables: unknown): boolean {
  const inputs = Object.values(variables ?? {}).filter((value) => typeof value === 'object' && value !== null);
  return inputs.length > 0 && inputs.every(isKeyed); // a document may hold several mutations, each with an input
}

interface Keyed {
  readonly idempotencyKey?: unknown;
  readonly items?: readonly Keyed[];
}

const isKeyed = ({ idempotencyKey, items }: Keyed): boolean =>
  items ? items.every((item) => typeof item?.idempotencyKey === 'string') : typeof idempotencyKey === 'string';
