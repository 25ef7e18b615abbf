/** Asks the graph of a catalog: typed operations, pages, and patience where the server asks for it. */
import type { Document } from './document.ts';
import { CatalogFailure, type GraphError } from './failure.ts';

export interface CatalogOptions {
  /** Address of the site, such as `https://data.example.org`. */
  readonly url: string;
  /** An API key or token; visitors need none. */
  readonly key?: string;
  /** Instead of the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** How often to ask again when the server is busy (429, 503); 3 when left out. */
  readonly retries?: number;
  /** Seconds to wait at most before one more try; 60 when left out. A server that asks for more is not asked again. */
  readonly patience?: number;
}

/** A page of a connection, as operations ask for it. */
export interface Page<Node> {
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: string | null };
}

export interface Catalog {
  /** Runs one operation: all of its data. @throws CatalogFailure, also where a part of the data failed */
  run<Data, Variables>(document: Document<Data, Variables>, variables: Variables): Promise<Data>;
  /** All nodes of a connection, one page after the other as they are needed. `pageOf` finds the connection in the data. */
  all<Data, Variables extends { after?: string | null | undefined }, Node>(
    document: Document<Data, Variables>,
    variables: Variables,
    pageOf: (data: Data) => Page<Node>,
  ): AsyncGenerator<Node, void, undefined>;
}

const BUSY = new Set([429, 503]);
const ANSWER = 'application/graphql-response+json, application/json;q=0.9';

export function createCatalog({
  url,
  key,
  fetch = globalThis.fetch,
  retries = 3,
  patience = 60,
}: CatalogOptions): Catalog {
  const address = `${url.replace(/\/+$/, '')}/graphql`;
  const headers = {
    'content-type': 'application/json',
    accept: ANSWER,
    ...(key !== undefined && { authorization: key }),
  };

  async function send(body: string): Promise<Response> {
    try {
      return await fetch(address, { method: 'POST', headers, body });
    } catch (cause) {
      throw Object.assign(new CatalogFailure(`${address} cannot be reached`, 0), { cause });
    }
  }

  async function run<Data, Variables>({ text }: Document<Data, Variables>, variables: Variables): Promise<Data> {
    const body = JSON.stringify({ query: text, variables });
    for (let tries = 0; ; tries += 1) {
      const response = await send(body);
      const wait = BUSY.has(response.status) ? secondsOf(response, tries) : Number.POSITIVE_INFINITY;
      if (tries >= retries || wait > patience) return read(response);
      await response.body?.cancel();
      await new Promise((resolve) => setTimeout(resolve, wait * 1_000));
    }
  }

  async function* all<Data, Variables extends { after?: string | null | undefined }, Node>(
    document: Document<Data, Variables>,
    variables: Variables,
    pageOf: (data: Data) => Page<Node>,
  ): AsyncGenerator<Node, void, undefined> {
    let after = variables.after;
    while (true) {
      const { nodes, pageInfo } = pageOf(await run(document, { ...variables, after }));
      yield* nodes;
      if (!pageInfo.hasNextPage) return;
      after = pageInfo.endCursor;
    }
  }

  return { run, all };
}

/** What Retry-After says; without it twice as long each time. */
function secondsOf({ headers }: Response, tries: number): number {
  const said = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(said) && said >= 0 ? said : 2 ** tries;
}

async function read<Data>(response: Response): Promise<Data> {
  const { status } = response;
  const requestId = response.headers.get('x-request-id');
  const text = await response.text();
  let answer: { data?: Data; errors?: readonly GraphError[] } | null = null;
  try {
    answer = JSON.parse(text);
  } catch {
    /* told below */
  }
  if (typeof answer !== 'object' || answer === null || !('data' in answer || 'errors' in answer))
    throw new CatalogFailure(
      `The answer is none of a graph (status ${status}): ${text.slice(0, 200)}`,
      status,
      [],
      requestId,
    );
  if (answer.errors?.length)
    throw new CatalogFailure(answer.errors.map(({ message }) => message).join('; '), status, answer.errors, requestId);
  return answer.data as Data;
}
