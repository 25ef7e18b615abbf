/**
 * Persisted documents, requested by id or hash instead of text: the site's trusted documents (a manifest), and automatic persisted
 * queries, which Apollo's clients send once with their hash.
 */
import { GraphQLError } from 'graphql';
import { createLru } from '../../infra/concurrency/lru.ts';
import { hashOf } from '../execution/documents.ts';
import type { Trusted } from './trusted.ts';

/** The parameters of a request that identify the document. */
export interface RequestedDocument {
  readonly query: string | null;
  readonly documentId: string | null;
  readonly extensions: Readonly<Record<string, unknown>> | null;
}

export interface Found {
  readonly text: string;
  readonly isTrusted: boolean;
  /** Caches the text for requests with its hash. Called after the document was validated. */
  keep(): void;
}

/** Error for an unknown document, or an invalid id or hash. */
export class UnknownDocument extends GraphQLError {
  readonly status: number;
  constructor(
    code: 'PERSISTED_QUERY_NOT_FOUND' | 'PERSISTED_DOCUMENT_NOT_FOUND' | 'BAD_REQUEST',
    status: number,
    message: string,
  ) {
    super(message, { extensions: { code } });
    this.status = status;
  }
}

/** Capacity of the cache of automatic persisted queries, in characters. */
const MAX_CHARACTERS = 5_000_000;
const PREFIX = 'sha256:';

/** Finds the text of the requested document. @throws UnknownDocument */
export type FindDocument = (requested: RequestedDocument) => Found;

export function createPersisted(trusted: Trusted): FindDocument {
  const cache = createLru<string>(MAX_CHARACTERS, 'graphql_persisted');

  return function find({ query, documentId, extensions }: RequestedDocument): Found {
    if (documentId !== null) return byId(documentId, query);
    const hash = hashIn(extensions);
    if (hash === null) return given(query as string);
    if (query === null) return byHash(hash);
    if (hashOf(query) !== hash) throw new UnknownDocument('BAD_REQUEST', 400, 'provided sha does not match query');
    return { ...given(query), keep: () => cache.set(hash, query, query.length) };
  };

  function byId(id: string, query: string | null): Found {
    if (query !== null) throw new UnknownDocument('BAD_REQUEST', 400, 'Send either query or documentId, not both');
    const text = trusted.find(id) ?? (id.startsWith(PREFIX) ? cache.get(id.slice(PREFIX.length)) : undefined);
    if (text === undefined)
      throw new UnknownDocument('PERSISTED_DOCUMENT_NOT_FOUND', 404, `Unknown documentId: ${id.slice(0, 100)}`);
    return given(text);
  }

  function byHash(hash: string): Found {
    const text = trusted.find(PREFIX + hash) ?? cache.get(hash);
    // Clients recognize this message and then send the text too.
    if (text === undefined) throw new UnknownDocument('PERSISTED_QUERY_NOT_FOUND', 200, 'PersistedQueryNotFound');
    return given(text);
  }

  function given(text: string): Found {
    return { text, isTrusted: trusted.has(text), keep: () => {} };
  }
}

/** The hash in Apollo's extension. Null without the extension. @throws UnknownDocument for an invalid one */
function hashIn(extensions: RequestedDocument['extensions']): string | null {
  const requested = extensions?.persistedQuery;
  if (requested === undefined || requested === null) return null;
  const { version, sha256Hash } = requested as { version?: unknown; sha256Hash?: unknown };
  if (version !== 1 || typeof sha256Hash !== 'string' || !/^[0-9a-f]{64}$/.test(sha256Hash))
    throw new UnknownDocument(
      'BAD_REQUEST',
      400,
      'extensions.persistedQuery must have version 1 and sha256Hash with 64 hexadecimal digits',
    );
  return sha256Hash;
}
