/** HTTP client for Solr, on one node or several. Credentials from a URL go into a header and never appear in messages. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Timeout } from '../../infra/postgres/db.ts';
import { CatalogError } from '../../kernel/errors.ts';
import { type ActiveSpan, Description, spanning, traceHeaders } from '../../kernel/trace.ts';
import { searchFault } from '../query/syntax.ts';

/** Timeout in ms for requests of the feed. */
const FEED_TIME = 10_000;
/** Timeout in ms for one batch of documents. */
const UPDATE_TIME = 60_000;
/** Maximum characters of one write request, unless a single document is larger. */
const LARGEST_BODY = 4_000_000;

export interface SolrQuery {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly [name: string]: unknown;
}

export interface SolrAnswer {
  readonly responseHeader?: { readonly partialResults?: boolean };
  readonly response: { readonly numFound: number; readonly docs: readonly Readonly<Record<string, unknown>>[] };
  readonly facets?: Readonly<
    Record<
      string,
      | { readonly buckets: readonly { val: string | number; count: number }[]; readonly numBuckets?: number }
      | number
      | string
    >
  >;
}

export interface Solr {
  /**
   * Runs a search in Solr's JSON form.
   * @throws CatalogError SEARCH when Solr cannot run it, LIMIT on timeout, UNAVAILABLE when it does not respond
   */
  query(request: SolrQuery, timeout?: Timeout): Promise<SolrAnswer>;
  /** Words of a field with this prefix. @throws CatalogError LIMIT, UNAVAILABLE */
  terms(field: string, beginning: string, max: number, timeout: Timeout): Promise<string[]>;
  /** Writes commands in order. With `commit`, all writes become searchable at once. @throws CatalogError UNAVAILABLE */
  update(commands: readonly Command[], commit: boolean): Promise<void>;
}

/** A document, ids of documents to remove, or a query for them. */
export type Command =
  | readonly ['add', { readonly doc: Readonly<Record<string, unknown>> }]
  | readonly ['delete', readonly string[] | { readonly query: string }];

/** One of the servers at which Solr answers. */
interface Node {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Nodes of a collection that have the same contents. */
interface Cluster {
  readonly nodes: readonly Node[];
  /** Is requested first: the first node, or the one after a node that failed. */
  current: Node;
}

const clusters = new Map<string, Cluster>();

/** Client of the collection (or core) at these URLs, one per node. With a span, its requests are part of the trace. */
export function solrAt(urls: readonly string[], span?: ActiveSpan): Solr {
  const key = urls.join(' ');
  let cluster = clusters.get(key);
  if (!cluster) {
    const nodes = urls.map(nodeAt);
    clusters.set(key, (cluster = { nodes, current: nodes[0]! }));
  }
  return clientOf(cluster, span);
}

function nodeAt(address: string): Node {
  const { username, password } = new URL(address);
  const secret = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  return {
    url: shownAddress(address),
    headers: {
      'content-type': 'application/json',
      ...(username !== '' && { authorization: `Basic ${secret}` }),
    },
  };
}

/** The URL without credentials, for messages. */
export function shownAddress(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.href.replace(/\/+$/, '');
}

const SPANS = {
  '/query': new Description('solr query', 'client', { 'db.system.name': 'solr', 'db.operation.name': 'query' }),
  '/terms': new Description('solr terms', 'client', { 'db.system.name': 'solr', 'db.operation.name': 'terms' }),
};

function clientOf(cluster: Cluster, parent?: ActiveSpan): Solr {
  function post<Answer>(path: string, body: string, time: number, timeout?: Timeout): Promise<Answer> {
    const description = SPANS[path as keyof typeof SPANS];
    const span = description && parent?.child(description);
    return span ? spanning(span, answerOf(path, body, time, timeout, span)) : answerOf(path, body, time, timeout);
  }

  async function answerOf<Answer>(
    path: string,
    body: string,
    time: number,
    timeout?: Timeout,
    span?: ActiveSpan,
  ): Promise<Answer> {
    // Ends with the first response: aborts requests to nodes that are late.
    const requests = new AbortController();
    const timer = setTimeout(() => requests.abort(new Error(`No response within ${time} ms`)), time);
    const request = ({ url, headers }: Node): Promise<SolrResponse> =>
      responseOf(`${url}${path}`, {
        method: 'POST',
        headers: span ? { ...headers, ...traceHeaders(span) } : headers,
        body,
        signal: requests.signal,
        redirect: 'error',
      });
    // Another node must not write at the same time: the late one could overwrite a later batch.
    const late = path.startsWith('/update') ? null : time / cluster.nodes.length;
    const first = cluster.nodes.indexOf(cluster.current);
    const nodes = [...cluster.nodes.slice(first), ...cluster.nodes.slice(0, first)];
    try {
      const { isRefused, text } = await firstResponse(cluster, nodes, request, late, requests.signal);
      if (!isRefused) return JSON.parse(text) as Answer;
      const cause = new Error(text);
      throw Object.assign(searchFault('query', 'the search engine cannot execute this query'), { cause });
    } catch (cause) {
      if (cause instanceof CatalogError) throw cause;
      throw timeout && requests.signal.aborted ? tooLong(timeout) : away(cause);
    } finally {
      clearTimeout(timer);
      requests.abort();
    }
  }

  return {
    async query(request, timeout) {
      if (!timeout) return post('/query', JSON.stringify(request), FEED_TIME);
      // Passed to Solr too, so that it stops working on abandoned requests.
      const time = timeout.seconds * 1_000;
      const body = { ...request, params: { ...request.params, timeAllowed: time } };
      const answer = await post<SolrAnswer>('/query', JSON.stringify(body), time, timeout);
      if (answer.responseHeader?.partialResults) throw tooLong(timeout);
      return answer;
    },
    async terms(field, beginning, max, timeout) {
      const params = {
        terms: true,
        'terms.fl': field,
        'terms.prefix': beginning,
        'terms.limit': max,
        'json.nl': 'flat',
      };
      const answer = await post<{ terms: Record<string, (string | number)[]> }>(
        '/terms',
        JSON.stringify({ params }),
        timeout.seconds * 1_000,
        timeout,
      );
      return (answer.terms[field] ?? []).filter((_term, index) => index % 2 === 0) as string[];
    },
    async update(commands, commit) {
      const bodies = bodiesOf(commands);
      for (const [index, body] of bodies.entries())
        await post(`/update${commit && index === bodies.length - 1 ? '?softCommit=true' : ''}`, body, UPDATE_TIME);
    },
  };
}

interface SolrResponse {
  /** Solr cannot execute the request, on any node. */
  readonly isRefused: boolean;
  readonly text: string;
}

/** @throws Error when the node does not respond, or cannot execute requests at present */
async function responseOf(url: string, init: RequestInit): Promise<SolrResponse> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (response.ok) return { isRefused: false, text };
  const problem = `Solr responded with ${response.status}: ${text.slice(0, 500)}`;
  if (response.status !== 400) throw new Error(problem);
  return { isRefused: true, text: problem };
}

/**
 * The first response of the nodes. The next one is requested when one fails, and also beside one that has not responded after `late` ms: a
 * machine without power refuses no connection. Later requests begin with the next one.
 */
async function firstResponse(
  cluster: Cluster,
  [node, ...others]: readonly Node[],
  request: (node: Node) => Promise<SolrResponse>,
  late: number | null,
  signal: AbortSignal,
): Promise<SolrResponse> {
  const response = request(node!);
  const [next] = others;
  if (!next) return response;
  const isThere = response.then(
    () => true,
    () => false,
  );
  if (await (late === null ? isThere : Promise.race([isThere, sleep(late, false, { signal })]))) return response;
  if (cluster.current === node) cluster.current = next;
  const later = firstResponse(cluster, others, request, late, signal);
  return Promise.any([response, later]).catch(() => later);
}

/** Solr's JSON allows repeated names, one per command. Solr reads a request as a whole, so bodies are limited to LARGEST_BODY. */
function bodiesOf(commands: readonly Command[]): string[] {
  const bodies: string[] = [];
  const own: string[] = [];
  let size = 0;
  const close = () => bodies.push(`{${own.splice(0).join(',\n')}}`);
  for (const [name, value] of commands) {
    const text = `"${name}":${JSON.stringify(value)}`;
    if (size > 0 && size + text.length > LARGEST_BODY) {
      close();
      size = 0;
    }
    own.push(text);
    size += text.length;
  }
  close();
  return bodies;
}

const tooLong = ({ seconds, setting }: Timeout): CatalogError =>
  new CatalogError('LIMIT', `Timeout: the search took longer than ${seconds} s (${setting}). Request less at a time.`);

function away(cause: unknown): CatalogError {
  return Object.assign(new CatalogError('UNAVAILABLE', 'The search engine does not respond. Try again later.'), {
    cause,
  });
}
