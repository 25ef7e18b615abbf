/** Caches parsed and validated documents by the hash of their text. */
import { hash } from 'node:crypto';
import { type DocumentNode, type GraphQLSchema, parse, validate } from 'graphql';
import { createLru } from '../../infra/concurrency/lru.ts';
import { checkDocument, checkLength, MAX_TOKENS } from '../admission/limits.ts';

export interface OpenDocument {
  /** SHA-256 of the text, in hexadecimal. */
  readonly hash: string;
  /** Valid against the schema. */
  readonly document: DocumentNode;
}

export interface Documents {
  find(hash: string): OpenDocument | undefined;
  /** The cached document of a text. Does not hash a text that it has seen before. */
  findText(text: string): OpenDocument | undefined;
  /** Caches a valid document. */
  keep(hash: string, text: string, document: DocumentNode): OpenDocument;
  /** Parses and validates a document, or returns the cached one. @throws GraphQLError (the first); CatalogError LIMIT or VALIDATION */
  open(text: string): OpenDocument;
}

/** Maximum bytes of all cached documents, estimated: a token makes a few objects. */
const MAX_BYTES = 30 * 1024 * 1024;
const BYTES_OF_A_TOKEN = 300;
/** Maximum characters of the texts with a known document. */
const MAX_TEXTS = 5_000_000;

export const hashOf = (text: string): string => hash('sha256', text, 'hex');

export function createDocuments(schema: GraphQLSchema): Documents {
  const cache = createLru<OpenDocument>(MAX_BYTES, 'graphql_documents');
  /** Text → hash: to look up a text costs less than to hash it. */
  const hashes = createLru<string>(MAX_TEXTS);

  function keep(key: string, text: string, document: DocumentNode & { readonly tokenCount?: number }): OpenDocument {
    const entry = { hash: key, document };
    cache.set(key, entry, text.length + BYTES_OF_A_TOKEN * (document.tokenCount ?? MAX_TOKENS));
    return entry;
  }

  function open(text: string): OpenDocument {
    const key = hashOf(text);
    const before = cache.get(key);
    if (before) return before;
    checkLength(text);
    const document = parse(text, { maxTokens: MAX_TOKENS });
    checkDocument(document);
    const [error] = validate(schema, document);
    if (error) throw error;
    return keep(key, text, document);
  }

  function findText(text: string): OpenDocument | undefined {
    const known = hashes.get(text);
    const key = known ?? hashOf(text);
    const found = cache.get(key);
    if (found && known === undefined) hashes.set(text, key, text.length);
    return found;
  }

  return { find: cache.get, findText, keep, open };
}
