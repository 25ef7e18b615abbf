/** `/graphql` by Apollo Server, without HTTP and WebSocket: facades/graphql reads requests and sends answers. */

import { ApolloServer, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import type { DocumentNode, ExecutionResult, GraphQLFormattedError, GraphQLSchema } from 'graphql';
import type { Call } from '../kernel/call.ts';
import type { Settings } from '../kernel/config.ts';
import { CatalogError, type ErrorKind } from '../kernel/errors.ts';
import type { Logger } from '../kernel/log.ts';
import { asRefusal } from '../kernel/unavailable.ts';
import { contextOf, type GraphContext } from './context.ts';
import { type Documents, InvalidDocument } from './documents.ts';
import type { Entered, Entrance } from './entrance.ts';
import { createExecutor, type Operation } from './executor.ts';
import { createFormatError } from './format-error.ts';
import type { Admitted } from './gate.ts';
import { MAX_TOKENS } from './limits.ts';
import type { Amount } from './measure.ts';
import { UnknownDocument } from './persisted.ts';
import type { EventStream, Subscriptions } from './subscriptions.ts';

export interface GraphServerOptions {
  readonly schema: GraphQLSchema;
  readonly settings: Settings;
  readonly log: Logger;
  readonly entrance: Entrance;
  readonly subscriptions: Subscriptions;
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
  /** Who is asking. Asked again while a subscription goes on. */
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

/** The answer to a subscription. */
export interface GraphStream {
  readonly stream: EventStream;
}

export interface GraphServer {
  /** Answers one request; never throws. Subscriptions are refused with where they are answered. */
  answer(request: GraphRequest): Promise<GraphAnswer>;
  /** The same for doors that can send more than one result; never throws. Refused subscriptions are answered, 429 where there are too many. */
  follow(request: GraphRequest): Promise<GraphAnswer | GraphStream>;
  stop(): Promise<void>;
}

/** What an operation comes to, on every answer to one that could be weighed (docs/graphql.md). */
const COST_HEADER = 'graphql-cost';

const ASK_OTHERWISE =
  'A subscription has many answers: ask with Accept: text/event-stream, or over a WebSocket (graphql-transport-ws); see docs/changes.md';

/** Where a formatted error keeps what it was made of, until it is told to the caller. */
const ORIGINAL = Symbol('original error');
/** Apollo looks for a method only, and for Accept where an answer may come in parts. */
const NO_HEADERS = new HeaderMap();

/** What Apollo hands on to our executor. */
interface Running {
  readonly context: GraphContext;
  readonly document: DocumentNode;
  readonly admitted: Admitted | null;
  /** What it came to, where it was run already. */
  readonly done: ExecutionResult | null;
}

export async function createGraphServer(options: GraphServerOptions): Promise<GraphServer> {
  const { schema, settings, log, entrance, subscriptions } = options;
  const tell = createFormatError(log);
  const execute = createExecutor({
    schema,
    onBroken: (thrown) => log.warn({ err: thrown }, 'a compiled operation broke'),
  });
  const apollo = createApollo(schema, log, entrance.documents, execute);
  await apollo.start();

  async function answer(request: GraphRequest, mayStream: boolean): Promise<GraphAnswer | GraphStream> {
    const { parameters, requestId, call } = request;
    const caller = await call();
    let entered: Entered;
    try {
      entered = entrance.enter(parameters, caller);
      if (entered.admitted?.kind === 'subscription' && !mayStream) throw new CatalogError('VALIDATION', ASK_OTHERWISE);
    } catch (thrown) {
      return refused(thrown, requestId);
    }
    const { admitted, opened } = entered;
    if (admitted?.kind !== 'subscription') return run(request, entered, caller);
    const subscribed = await subscriptions.start({
      ...parameters,
      opened,
      admitted,
      call: caller,
      again: call,
      requestId,
    });
    if (!subscribed.errors) return subscribed;
    const code = subscribed.errors[0]?.extensions?.code as ErrorKind;
    const isFull = code === 'LIMIT'; // limits of the operation itself were looked at before
    return { status: isFull ? 429 : (STATUS[code] ?? 400), headers: {}, result: { errors: subscribed.errors } };
  }

  async function run(
    { parameters: { operationName, variables }, onlyReads, requestId }: GraphRequest,
    { text, opened, admitted }: Entered,
    caller: Call,
  ): Promise<GraphAnswer> {
    const context = contextOf(caller, 'payload');
    if (admitted) caller.charge?.(admitted.amount.cost);
    // Most queries need nothing that Apollo does once they are let in: it sees those that have errors, and all that is no query.
    const { document } = opened;
    const done =
      admitted?.kind === 'query'
        ? await execute({ context, document, admitted, name: operationName, variables: variables ?? {} })
        : null;
    if (done && admitted && !done.errors) return whole(caller, admitted, done);
    const response = await apollo.executeOperation(
      {
        query: text,
        ...(operationName !== null && { operationName }),
        ...(variables && { variables }),
        http: { method: onlyReads ? 'GET' : 'POST', headers: NO_HEADERS, search: '', body: undefined },
      },
      { contextValue: { context, document, admitted, done } },
    );
    if (response.body.kind !== 'single') throw new Error('an answer in chunks was not asked for');
    const { errors: found, data } = response.body.singleResult;
    const errors = found?.map((error) => tell(error, originalOf(error), requestId));
    return {
      status: isDown(errors, data) ? 503 : (response.http.status ?? 200),
      isPublic: caller.actor.userId === null,
      headers: admitted ? { [COST_HEADER]: String(admitted.amount.cost) } : {},
      result: {
        ...(errors && { errors }),
        ...(data !== undefined && { data }),
        ...(admitted && { extensions: { cost: costOf(admitted.amount) } }),
      },
    };
  }

  const whole = ({ actor }: Call, { amount }: Admitted, { data }: ExecutionResult): GraphAnswer => ({
    status: 200,
    isPublic: actor.userId === null,
    headers: { [COST_HEADER]: String(amount.cost) },
    result: { data, extensions: { cost: costOf(amount) } },
  });

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

  const failed =
    ({ requestId }: GraphRequest) =>
    (failure: unknown): GraphAnswer => {
      const thrown = asRefusal(failure);
      return {
        status: thrown instanceof CatalogError ? (STATUS[thrown.kind] ?? 403) : 500,
        headers: {},
        result: { errors: [tell({ message: '' }, thrown, requestId)] },
      };
    };

  return {
    answer: (request) => answer(request, false).catch(failed(request)) as Promise<GraphAnswer>,
    follow: (request) => answer(request, true).catch(failed(request)),
    stop: () => apollo.stop(),
  };
}

/** Of refusals before there is an operation to run; 403 where the caller was refused as such. */
const STATUS: Partial<Record<ErrorKind, number>> = { RATE_LIMIT: 429, UNAVAILABLE: 503 };

/** Whether nothing came of an operation because a part is down. Where something did, a mutation perhaps, the answer shows it. */
const isDown = (errors: readonly GraphQLFormattedError[] | undefined, data: unknown): boolean =>
  (errors?.some(({ extensions }) => extensions?.code === 'UNAVAILABLE') ?? false) &&
  Object.values(data ?? {}).every((value) => value === null);

const originalOf = (error: GraphQLFormattedError): unknown => (error as { [ORIGINAL]?: unknown })[ORIGINAL];

/** Apollo's pipeline around our documents and our executor: it asks a gateway to run what was parsed and validated. */
function createApollo(
  schema: GraphQLSchema,
  log: Logger,
  documents: Documents,
  run: (operation: Operation) => Promise<ExecutionResult>,
): ApolloServer<Running> {
  return new ApolloServer<Running>({
    gateway: {
      onSchemaLoadOrUpdate(tell) {
        tell({ apiSchema: schema, coreSupergraphSdl: '' });
        return () => {};
      },
      load: async () => ({
        executor: async ({ request, context }) =>
          (context as Running).done ??
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
