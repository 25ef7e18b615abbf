/** Texts of operations → documents that are valid against the schema, remembered. Limits are looked at first. */
import { hash } from 'node:crypto';
import { type DocumentNode, GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import { createLru } from '../kernel/lru.ts';
import { checkDocument, checkLength, MAX_TOKENS, tooManyTokens } from './limits.ts';

export interface OpenDocument {
  /** SHA-256 of the text, hexadecimal. */
  readonly hash: string;
  readonly document: DocumentNode;
}

/** A text that is no operation of this schema; nothing was run. */
export class InvalidDocument extends Error {
  readonly errors: readonly GraphQLError[];
  readonly code: 'GRAPHQL_PARSE_FAILED' | 'GRAPHQL_VALIDATION_FAILED';
  constructor(code: InvalidDocument['code'], errors: readonly GraphQLError[]) {
    super(errors[0]?.message);
    this.code = code;
    this.errors = errors;
  }
}

export interface Documents {
  /** @throws InvalidDocument; CatalogError LIMIT, or VALIDATION for a text that cannot be stored. */
  open(text: string): OpenDocument;
  /** What was opened under a hash, unless it was forgotten. */
  find(hash: string): DocumentNode | undefined;
}

/** Bytes that remembered documents take, about: a token makes a few objects. */
const ROOM = 30 * 1024 * 1024;
const BYTES_OF_A_TOKEN = 300;
/** Characters of the texts whose hashes are remembered. */
const TEXTS = 5_000_000;

export const hashOf = (text: string): string => hash('sha256', text, 'hex');

export function createDocuments(schema: GraphQLSchema): Documents {
  const opened = createLru<OpenDocument>(ROOM);
  /** Of texts that were opened: to look for a text costs less than to hash it. */
  const hashes = createLru<string>(TEXTS);

  function open(text: string): OpenDocument {
    checkLength(text);
    const known = hashes.get(text);
    const key = known ?? hashOf(text);
    const before = opened.get(key);
    if (before) {
      if (known === undefined) hashes.set(text, key, text.length);
      return before;
    }
    const document = notTooDeep(() => parsed(text));
    checkDocument(document);
    const errors = notTooDeep(() => validate(schema, document));
    if (errors.length > 0) throw new InvalidDocument('GRAPHQL_VALIDATION_FAILED', errors);
    const entry = { hash: key, document };
    opened.set(key, entry, text.length + BYTES_OF_A_TOKEN * (document.tokenCount ?? MAX_TOKENS));
    return entry;
  }

  return { open, find: (key) => opened.get(key)?.document };
}

function parsed(text: string): DocumentNode & { readonly tokenCount?: number } {
  try {
    return parse(text, { maxTokens: MAX_TOKENS });
  } catch (thrown) {
    if (!(thrown instanceof GraphQLError)) throw thrown;
    // The parser has no other sign of it.
    if (/ more tha[nt] \d+ tokens\. Parsing aborted\.$/.test(thrown.message)) throw tooManyTokens();
    throw new InvalidDocument('GRAPHQL_PARSE_FAILED', [thrown]);
  }
}

/** Parsing and validating go as deep as the document does. @throws InvalidDocument where the stack ends before it */
function notTooDeep<T>(work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw new InvalidDocument('GRAPHQL_PARSE_FAILED', [
      new GraphQLError('Syntax Error: The document is nested too deeply.'),
    ]);
  }
}
