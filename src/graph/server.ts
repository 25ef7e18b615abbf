/** `/graphql` by Apollo Server, without HTTP and WebSocket: facades/graphql reads requests and sends responses. */
import { ApolloServer, type GraphQLResponse, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql';
import type { Logger } from '../infra/log/log.ts';
import { asRefusal } from '../infra/postgres/failures.ts';
import type { Call } from '../kernel/call.ts';
import { CatalogError, type ErrorKind } from '../kernel/errors.ts';
import type { Meter } from '../kernel/meter.ts';
import type { Settings } from '../kernel/settings.ts';
import type { ActiveSpan } from '../kernel/trace.ts';
import type { Gate } from './admission/admission.ts';
import { MAX_TOKENS } from './admission/limits.ts';
import { withRecordsBudget } from './admission/records.ts';
import { type AnswerBody, bodyOf, bounded } from './answer-body.ts';
import type { Documents } from './execution/documents.ts';
import { createExecutor } from './execution/executor.ts';
import {
  type GraphAnswer,
  type GraphPlugin,
  type GraphRequest,
  OperationContext,
  type OperationState,
} from './execution/operation.ts';
import { createFastPath } from './fast-path.ts';
import type { FieldSpans } from './field-spans.ts';
import { createFormatError } from './format-error.ts';
import { measureAnswer, trustedName } from './measure.ts';
import { createPersisted } from './persisted/persisted.ts';
import { loadTrusted } from './persisted/trusted.ts';
import { admission } from './plugins/admission.ts';
import { answers, createMetadata, STATUS } from './plugins/answers.ts';
import { persistedOperations } from './plugins/persisted.ts';
import type { EventStream, Subscribed, Subscriptions } from './subscriptions/subscriptions.ts';
import { describeOperation, endOperation, traceOperation } from './traced.ts';

export type { GraphAnswer, GraphParameters, GraphRequest } from './execution/operation.ts';

export interface GraphServerOptions {
  /** Apollo Server modifies it if a plugin instruments fields. */
  readonly schema: GraphQLSchema;
  readonly settings: Settings;
  readonly log: Logger;
  readonly meter: Meter;
  readonly documents: Documents;
  readonly gate: Gate;
  readonly subscriptions: Subscriptions;
  /** The site's plugins, which run after ours. */
  readonly plugins: readonly GraphPlugin[];
}

/** The answer to a subscription. */
export interface GraphStream {
  readonly stream: EventStream;
}

export interface GraphServer {
  /** Answers one request. Never throws. The error for a subscription names the transports that support it. */
  answer(request: GraphRequest): Promise<GraphAnswer>;
  /** Like `answer`, for clients that can read a stream. Never throws. A refused subscription is an answer, 429 for too many streams. */
  follow(request: GraphRequest): Promise<GraphAnswer | GraphStream>;
  /** The body of an answer. Of one that is too long, only the error. */
  bodyOf(result: GraphAnswer['result']): AnswerBody;
  stop(): Promise<void>;
}

/** @throws Error for a manifest of trusted documents that cannot be read (catalog.graphql.documents) */
export async function createGraphServer(options: GraphServerOptions): Promise<GraphServer> {
  const { schema, settings, log, meter, documents, gate, plugins } = options;
  const format = createFormatError(log);
  const execute = createExecutor({
    schema,
    onBroken: (thrown) => log.warn({ err: thrown }, 'a compiled operation broke'),
  });
  const find = createPersisted(loadTrusted(settings['catalog.graphql.documents'], schema));
  const metadata = createMetadata(settings);
  const trustedOnly = settings['catalog.graphql.trusted_only'];
  const fastPath =
    plugins.length > 0 ? null : createFastPath({ find, documents, gate, trustedOnly, execute, metadata });
  const apollo = apolloOf(options, { execute, find, format, metadata });
  await apollo.start();

  async function answer(request: GraphRequest, mayStream: boolean): Promise<GraphAnswer | GraphStream> {
    const call = withRecordsBudget(await request.call());
    const operation: OperationState = { request, mayStream };
    const { span } = call.request;
    const found = await (span ? traced(call, span, operation) : perform(call, operation));
    measureAnswer(meter, operation, 'stream' in found ? null : found.result);
    if ('stream' in found) return found;
    const result = mayStream ? bounded(found.result) : found.result;
    return { status: found.status, headers: found.headers, result, trustedName: trustedName(operation) };
  }

  async function traced(call: Call, parent: ActiveSpan, operation: OperationState): Promise<GraphAnswer | GraphStream> {
    const fields = traceOperation(call, parent);
    let hasFailed = true;
    try {
      const found = await perform(fields.operation.call, operation, fields);
      hasFailed = !('stream' in found) && found.status >= 500;
      return found;
    } finally {
      const description = describeOperation(operation.admitted?.kind ?? 'operation', trustedName(operation));
      endOperation(fields, description, hasFailed);
    }
  }

  async function perform(
    call: Call,
    operation: OperationState,
    fields?: FieldSpans,
  ): Promise<GraphAnswer | GraphStream> {
    const { request } = operation;
    const { operationName, variables, extensions } = request.parameters;
    const context = new OperationContext(call, operation, fields);
    const known = fastPath && (await fastPath(context));
    if (known) return known;
    const response = await apollo
      .executeOperation(
        {
          ...(operationName !== null && { operationName }),
          ...(variables && { variables }),
          ...(extensions && { extensions }),
          http: {
            method: request.onlyReads ? 'GET' : 'POST',
            headers: plugins.length > 0 ? headersOf(request) : NO_HEADERS,
            search: '',
            body: undefined,
          },
        },
        { contextValue: context },
      )
      .catch((failure: unknown) => {
        if (operation.subscribed && 'stream' in operation.subscribed) operation.subscribed.stream.stop();
        throw operation.failure ?? failure;
      });
    if (operation.subscribed) return subscriptionAnswer(operation.subscribed);
    return answerOf(response);
  }

  const failed =
    ({ requestId }: GraphRequest) =>
    (failure: unknown): GraphAnswer => {
      const thrown = asRefusal(failure);
      const result = { errors: [format({ message: '' }, thrown, requestId)] };
      measureAnswer(meter, {}, result);
      return {
        status: thrown instanceof CatalogError ? (STATUS[thrown.kind] ?? 403) : 500,
        headers: {},
        result,
      };
    };

  return {
    answer: (request) => answer(request, false).catch(failed(request)) as Promise<GraphAnswer>,
    follow: (request) => answer(request, true).catch(failed(request)),
    bodyOf,
    stop: () => apollo.stop(),
  };
}

interface Parts {
  readonly execute: ReturnType<typeof createExecutor>;
  readonly find: ReturnType<typeof createPersisted>;
  readonly format: ReturnType<typeof createFormatError>;
  readonly metadata: ReturnType<typeof createMetadata>;
}

/** Apollo Server with our executor as its gateway's executor, our plugins and the site's plugins. */
function apolloOf(
  { schema, settings, log, documents, gate, subscriptions, plugins }: GraphServerOptions,
  { execute, find, format, metadata }: Parts,
): ApolloServer<OperationContext> {
  const trustedOnly = settings['catalog.graphql.trusted_only'];
  return new ApolloServer<OperationContext>({
    gateway: {
      onSchemaLoadOrUpdate(onSchema) {
        onSchema({ apiSchema: schema, coreSupergraphSdl: '' });
        return () => {};
      },
      load: async () => ({
        executor: async ({ request: { operationName = null, variables = {} }, document, context: value }) => {
          const context = value as OperationContext;
          const { admitted = null } = context.operation;
          if (admitted?.kind === 'subscription') return subscribe(subscriptions, context, operationName, variables);
          const { running = execute({ context, document, admitted, name: operationName, variables }) } =
            context.operation;
          const result = await running;
          context.forget();
          return result;
        },
      }),
      async stop() {},
    },
    documentStore: null, // plugins/admission.ts uses our cache, after it checks whether the caller may run the document
    logger: log,
    nodeEnv: 'production',
    introspection: true,
    includeStacktraceInErrorResponses: false,
    parseOptions: { maxTokens: MAX_TOKENS },
    persistedQueries: false,
    stopOnTerminationSignals: false,
    plugins: [
      persistedOperations(find),
      admission({ documents, gate, trustedOnly }),
      answers({ metadata, format }),
      ...plugins,
      ...DISABLED.filter(({ __internal_plugin_id__: id }) => plugins.every((it) => (it as Internal)[ID] !== id)),
    ],
  });
}

/** Starts a subscription. Apollo Server sees only the start. The client reads the events from the stream. */
async function subscribe(
  subscriptions: Subscriptions,
  { call, operation }: OperationContext,
  operationName: string | null,
  variables: Record<string, unknown>,
): Promise<ExecutionResult> {
  const { request, opened, admitted } = operation;
  const subscribed = await subscriptions.start({
    operationName,
    variables,
    opened: opened!,
    admitted: admitted!,
    call,
    again: request.call,
    requestId: request.requestId,
  });
  operation.subscribed = subscribed;
  if (!subscribed.errors) return { data: null };
  return { errors: subscribed.errors.map(({ message, extensions }) => new GraphQLError(message, { extensions })) };
}

/** The answer to an operation with one result. */
function answerOf(response: GraphQLResponse): GraphAnswer {
  if (response.body.kind !== 'single') throw new Error('an answer in chunks was not asked for');
  const { errors, data, extensions: more } = response.body.singleResult;
  // The gateway's interface creates a hidden class per request, which retains the response until the next full garbage collection.
  (response as { body?: unknown }).body = undefined;
  return {
    status: response.http.status ?? 200,
    headers: Object.fromEntries(response.http.headers),
    result: { ...(errors && { errors }), ...(data !== undefined && { data }), ...(more && { extensions: more }) },
  };
}

function subscriptionAnswer(subscribed: Subscribed): GraphAnswer | GraphStream {
  if (!subscribed.errors) return subscribed;
  const code = subscribed.errors[0]?.extensions?.code as ErrorKind;
  const isFull = code === 'LIMIT'; // limits of the operation itself were checked before
  return { status: isFull ? 429 : (STATUS[code] ?? 400), headers: {}, result: { errors: subscribed.errors } };
}

/** Only plugins of the site read headers. */
const NO_HEADERS = new HeaderMap();

function headersOf({ headers }: GraphRequest): HeaderMap {
  const map = new HeaderMap();
  for (const name in headers) map.set(name, String(headers[name]));
  return map;
}

const ID = '__internal_plugin_id__';
type Internal = { readonly [ID]?: string };

/** Disables plugins that Apollo Server installs by default. A plugin of the site with the same id takes precedence. */
const DISABLED = [
  ApolloServerPluginCacheControlDisabled(),
  ApolloServerPluginInlineTraceDisabled(),
  ApolloServerPluginLandingPageDisabled(),
  ApolloServerPluginSchemaReportingDisabled(),
  ApolloServerPluginUsageReportingDisabled(),
] as readonly (GraphPlugin & Internal)[];
