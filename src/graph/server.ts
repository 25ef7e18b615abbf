/** `/graphql` by Apollo Server, without HTTP: facades/graphql reads requests and sends answers. */

import { ApolloServer, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import type { DocumentNode, GraphQLFormattedError, GraphQLSchema } from 'graphql';
import type { Call } from '../kernel/call.ts';
import type { Settings } from '../kernel/config.ts';
import { CatalogError, type ErrorKind, notAuthorized } from '../kernel/errors.ts';
import type { Logger } from '../kernel/log.ts';
import { contextOf, type GraphContext } from './context.ts';
import { createDocuments, type Documents, InvalidDocument, type OpenDocument } from './documents.ts';
import { createExecutor } from './executor.ts';
import { createFormatError } from './format-error.ts';
import { type Admitted, createGate } from './gate.ts';
import { MAX_TOKENS } from './limits.ts';
import type { Amount } from './measure.ts';
import { createPersisted, type Found, UnknownDocument } from './persisted.ts';
import { loadTrusted } from './trusted.ts';

export interface GraphServerOptions {
  readonly schema: GraphQLSchema;
  readonly settings: Settings;
  readonly log: Logger;
}

/** What clients ask for, read and of the right kinds. */
export interface GraphParameters {
  /** Null where the document is named in another way. */
  readonly query: string | null;
  /** The name of a document that the server knows. */
  readonly documentId: string | null;
  readonly operationName: string | null;
  readonly variables: Record<string, unknown> | null;
  readonly extensions: Record<string, unknown> | null;
}

export interface GraphRequest {
  readonly parameters: GraphParameters;
  /** Whether mutations are refused, as they are by GET. */
  readonly onlyReads: boolean;
  /** What the log and masked errors call the request. */
  readonly requestId: string;
  call(): Call | Promise<Call>;
}

export interface GraphAnswer {
  /** 400 where nothing was run; 403 for a caller who is refused as such, 429 for one who has asked too much. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether anybody who is not signed in is answered so. */
  readonly isPublic?: boolean;
  readonly result: {
    readonly errors?: readonly GraphQLFormattedError[];
    readonly data?: unknown;
    readonly extensions?: Readonly<Record<string, unknown>>;
  };
}

export interface GraphServer {
  /** Answers one request; never throws. */
  answer(request: GraphRequest): Promise<GraphAnswer>;
  stop(): Promise<void>;
}

/** What an operation comes to, on every answer to one that could be weighed (docs/graphql.md). */
export const COST_HEADER = 'graphql-cost';

const ASK_OTHERWISE =
  'Subscriptions are not offered at /graphql yet: /changes streams the same events (Accept: text/event-stream); see docs/changes.md';

/** Where a formatted error keeps what it was made of, until it is told to the caller. */
const ORIGINAL = Symbol('original error');
/** Apollo looks for a method only, and for Accept where an answer may come in parts. */
const NO_HEADERS = new HeaderMap();

/** What Apollo hands on to our executor. */
interface Running {
  readonly context: GraphContext;
  readonly document: DocumentNode;
  readonly admitted: Admitted | null;
}

export async function createGraphServer({ schema, settings, log }: GraphServerOptions): Promise<GraphServer> {
  const tell = createFormatError(log);
  const documents = createDocuments(schema);
  const gate = createGate(schema, settings);
  const find = createPersisted(loadTrusted(settings['catalog.graphql.documents'], schema));
  const trustedOnly = settings['catalog.graphql.trusted_only'];
  const apollo = createApollo(schema, log, documents);
  await apollo.start();

  async function answer({ parameters, onlyReads, requestId, call }: GraphRequest): Promise<GraphAnswer> {
    const { operationName, variables } = parameters;
    const caller = await call();
    const context = contextOf(caller, 'payload');
    let admitted: Admitted | null;
    let found: Found;
    let opened: OpenDocument;
    try {
      found = find(parameters);
      if (!found.isTrusted && trustedOnly && caller.actor.userId === null) throw notAuthorized(UNTRUSTED);
      opened = documents.open(found.text);
      found.keep();
      admitted = gate.admit(opened, operationName, variables ?? {});
      if (admitted?.kind === 'subscription') throw new CatalogError('VALIDATION', ASK_OTHERWISE);
    } catch (thrown) {
      return refused(thrown, requestId);
    }
    if (admitted) caller.charge?.(admitted.amount.cost);
    const response = await apollo.executeOperation(
      {
        query: found.text,
        ...(operationName !== null && { operationName }),
        ...(variables && { variables }),
        http: { method: onlyReads ? 'GET' : 'POST', headers: NO_HEADERS, search: '', body: undefined },
      },
      { contextValue: { context, document: opened.document, admitted } },
    );
    if (response.body.kind !== 'single') throw new Error('an answer in chunks was not asked for');
    const { errors, data } = response.body.singleResult;
    return {
      status: response.http.status ?? 200,
      isPublic: caller.actor.userId === null,
      headers: admitted ? { [COST_HEADER]: String(admitted.amount.cost) } : {},
      result: {
        ...(errors && { errors: errors.map((error) => tell(error, originalOf(error), requestId)) }),
        ...(data !== undefined && { data }),
        ...(admitted && { extensions: { cost: costOf(admitted.amount) } }),
      },
    };
  }

  /** A refusal before anything ran. @throws whatever is none */
  function refused(thrown: unknown, requestId: string): GraphAnswer {
    if (thrown instanceof UnknownDocument)
      return {
        status: thrown.status,
        headers: {},
        result: { errors: [{ message: thrown.message, extensions: { code: thrown.code } }] },
      };
    const errors =
      thrown instanceof InvalidDocument
        ? thrown.errors.map((error) => tell({ ...error.toJSON(), extensions: { code: thrown.code } }, error, requestId))
        : thrown instanceof CatalogError && [tell({ message: '' }, thrown, requestId)];
    if (!errors) throw thrown;
    const isForbidden = thrown instanceof CatalogError && thrown.kind === 'NOT_AUTHORIZED';
    return { status: isForbidden ? 403 : 400, headers: {}, result: { errors } };
  }

  const costOf = ({ cost, nodes }: Amount) => ({
    total: cost,
    allowed: settings['catalog.limits.graphql_cost'],
    nodes,
    nodesAllowed: settings['catalog.limits.graphql_nodes'],
  });

  return {
    answer: (request) =>
      answer(request).catch((thrown: unknown) => ({
        status: thrown instanceof CatalogError ? (STATUS[thrown.kind] ?? 403) : 500,
        headers: {},
        result: { errors: [tell({ message: '' }, thrown, request.requestId)] },
      })),
    stop: () => apollo.stop(),
  };
}

const UNTRUSTED =
  'for visitors this site runs only documents that it knows (catalog.graphql.trusted_only); send a documentId';

/** Of refusals before there is an operation to run; 403 where the caller was refused as such. */
const STATUS: Partial<Record<ErrorKind, number>> = { RATE_LIMIT: 429, UNAVAILABLE: 503 };

const originalOf = (error: GraphQLFormattedError): unknown => (error as { [ORIGINAL]?: unknown })[ORIGINAL];

/** Apollo's pipeline around our documents and our executor: it asks a gateway to run what was parsed and validated. */
function createApollo(schema: GraphQLSchema, log: Logger, documents: Documents): ApolloServer<Running> {
  const run = createExecutor({
    schema,
    onBroken: (thrown) => log.warn({ err: thrown }, 'a compiled operation broke'),
  });
  return new ApolloServer<Running>({
    gateway: {
      onSchemaLoadOrUpdate(tell) {
        tell({ apiSchema: schema, coreSupergraphSdl: '' });
        return () => {};
      },
      load: async () => ({
        executor: async ({ request, context }) =>
          run({
            ...(context as Running),
            name: request.operationName ?? null,
            variables: request.variables ?? {},
          }),
      }),
      async stop() {},
    },
    documentStore: {
      get: async (key) => documents.find(key.slice(-HASH_LENGTH)),
      set: async () => {},
      delete: async () => false,
    },
    logger: log,
    nodeEnv: 'production',
    introspection: true,
    formatError: (formatted, error) => Object.assign(formatted, { [ORIGINAL]: error }),
    includeStacktraceInErrorResponses: false,
    parseOptions: { maxTokens: MAX_TOKENS },
    persistedQueries: false,
    stopOnTerminationSignals: false,
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
  });
}

/** Apollo's keys are some words of its own and the SHA-256 of the text. */
const HASH_LENGTH = 64;
