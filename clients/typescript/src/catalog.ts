/** Asks the graph of a catalog: typed operations, pages, subscriptions and files, and patience where the server asks for it. */
import { ask, read } from './ask.ts';
import type { Document } from './document.ts';
import { CatalogFailure } from './failure.ts';
import { BeginUpload, ChangesEnd } from './operations.ts';
import { follow } from './subscribe.ts';
import { sendFile, type Uploaded, type UploadOptions } from './upload.ts';

export interface CatalogOptions {
  /** Address of the site, such as `https://data.example.org`. */
  readonly url: string;
  /** An API key or token; visitors need none. */
  readonly key?: string;
  /** Instead of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** How often to ask again when the server is busy; 3 when left out. */
  readonly retries?: number;
  /** Seconds to wait at most before one more try; 60 when left out. A server that asks for more is not asked again. */
  readonly patience?: number;
}

/** A page of a connection, as operations ask for it. */
export interface Page<Node> {
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
}

/** Variables of an operation that goes on behind a cursor. */
export interface Behind {
  after?: string | null | undefined;
}

export interface AskOptions {
  /** Gives up: what is thrown then is the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface Catalog {
  /**
   * Runs one operation: all of its data. Where too much was asked (429) it waits as long as it is told and asks again; where the server
   * is down (502, 503, 504) too, but not for a mutation without an `idempotencyKey`: it may have been done.
   * @throws CatalogFailure, also where a part of the data failed: RateLimited, Conflict, Invalid …
   */
  run<Data, Variables>(document: Document<Data, Variables>, variables: Variables, options?: AskOptions): Promise<Data>;
  /** The pages of a connection, one after the other as they are asked for, from `variables.after` on. `pageOf` finds the connection in the data. */
  pages<Data, Variables extends Behind, Found extends Page<unknown>>(
    document: Document<Data, Variables>,
    variables: Variables,
    pageOf: (data: Data) => Found,
    options?: AskOptions,
  ): AsyncGenerator<Found, void, undefined>;
  /** All nodes of a connection, whose pages are asked for as they are needed. */
  all<Data, Variables extends Behind, Node>(
    document: Document<Data, Variables>,
    variables: Variables,
    pageOf: (data: Data) => Page<Node>,
    options?: AskOptions,
  ): AsyncGenerator<Node, void, undefined>;
  /**
   * The data of each event of a subscription, in order, each once: a connection that breaks is made again behind `cursorOf` the last one.
   * Without `variables.after` it begins with what happens from now on, behind `changesEnd`, which it asks for first. Ends when the signal is raised, or nobody asks for more.
   * @throws CatalogFailure when it is refused, or the server is not to be reached from the beginning
   */
  subscribe<Data, Variables extends Behind>(
    document: Document<Data, Variables>,
    variables: Variables,
    cursorOf: (data: Data) => string | null | undefined,
    options?: AskOptions,
  ): AsyncGenerator<Data, void, undefined>;
  /** Sends a file, to be taken by a mutation as its `upload` within the hour. A `Blob` is read as it is sent: in Node `openAsBlob(path)` gives one of any size. @throws CatalogFailure */
  upload(file: Blob, options?: UploadOptions): Promise<Uploaded>;
}

const ANSWER = 'application/graphql-response+json, application/json;q=0.9';
const EVENTS = 'text/event-stream, application/graphql-response+json;q=0.9';

export function createCatalog({
  url,
  key,
  fetch = globalThis.fetch,
  retries = 3,
  patience = 60,
}: CatalogOptions): Catalog {
  const address = `${url.replace(/\/+$/, '')}/graphql`;
  const patient = { retries, patience };

  /** Sends an operation. */
  function post(text: string, variables: unknown, accept: string, signal: AbortSignal | undefined): Promise<Response> {
    const headers = { 'content-type': 'application/json', accept, ...(key !== undefined && { authorization: key }) };
    const body = JSON.stringify({ query: text, variables });
    return fetch(address, { method: 'POST', headers, body, ...(signal && { signal }) });
  }

  const run: Catalog['run'] = async ({ text }, variables, { signal } = {}) => {
    const isSafe = !/\bmutation\b/.test(text) || isRepeatable(variables);
    return read(await ask(() => post(text, variables, ANSWER, signal), { ...patient, isSafe, signal }), signal);
  };

  const pages: Catalog['pages'] = async function* (document, variables, pageOf, options) {
    let { after } = variables;
    while (true) {
      const page = pageOf(await run(document, { ...variables, after }, options));
      yield page;
      const { hasNextPage, endCursor } = page.pageInfo;
      if (!hasNextPage) return;
      if (endCursor === after)
        throw new CatalogFailure('The pages do not go on: does the operation ask for endCursor?', { status: 200 });
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
        ...patient,
        after: async () => variables.after ?? (await run(ChangesEnd, {}, { ...(signal && { signal }) })).changesEnd,
        cursorOf,
        signal,
        open: (after, stop) => post(text, { ...variables, after }, EVENTS, stop),
      }),
    async upload(file, options = {}) {
      const { contentType = file.type || 'application/octet-stream', sha256, signal } = options;
      const input = { size: file.size, contentType, ...(sha256 !== undefined && { sha256 }) };
      const { beginUpload } = await run(BeginUpload, { input }, options);
      return sendFile(file, beginUpload, { ...options, ...patient, fetch, signal });
    },
  };
}

/** Whether a mutation with these variables is done once, however often it is sent. */
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
