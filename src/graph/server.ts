/** `/graphql` by Apollo Server, without HTTP objects: facades/graphql puts requests in and takes answers out. */

import type { ApolloServerOptionsWithGateway } from '@apollo/server';
import { ApolloServer, HeaderMap } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import type { GraphQLSchema } from 'graphql';
import type { Call } from '../kernel/call.ts';
import type { Settings } from '../kernel/config.ts';
import type { Logger } from '../kernel/log.ts';
import { contextOf, type GraphContext } from './context.ts';
import { createExecutor } from './executor.ts';
import { createFormatError } from './format-error.ts';
import { MAX_TOKENS } from './limits.ts';

export interface GraphServerOptions {
  readonly schema: GraphQLSchema;
  readonly settings: Settings;
  readonly log: Logger;
}

export interface GraphRequest {
  readonly method: string;
  /** Values of the headers in `READ_HEADERS`, where the request has them. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The query string with its question mark, or empty. */
  readonly search: string;
  /** The JSON body as parsed; undefined without one. */
  readonly body: unknown;
  /** Asked once the request is known not to be forged from another site. */
  call(): Call | Promise<Call>;
}

export interface GraphAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export interface GraphServer {
  /** Answers one request; never throws. */
  answer(request: GraphRequest): Promise<GraphAnswer>;
  stop(): Promise<void>;
}

/** The headers that matter: content negotiation, and the two that show a preflight was made (Apollo's CSRF prevention). */
export const READ_HEADERS = ['content-type', 'accept', 'apollo-require-preflight', 'x-apollo-operation-name'] as const;

type Gateway = ApolloServerOptionsWithGateway<GraphContext>['gateway'];

/** Starts a server over one schema. Documents are kept once they are valid (Apollo's own store, about 30 MiB). */
export async function createGraphServer({ schema, settings, log }: GraphServerOptions): Promise<GraphServer> {
  const apollo = new ApolloServer<GraphContext>({
    gateway: gateway(schema, settings, log),
    logger: log,
    nodeEnv: 'production',
    introspection: true,
    formatError: createFormatError(log),
    includeStacktraceInErrorResponses: false,
    stringifyResult: (result) => JSON.stringify(result),
    parseOptions: { maxTokens: MAX_TOKENS },
    allowBatchedHttpRequests: false,
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
  await apollo.start();
  return {
    async answer({ method, headers, search, body, call }) {
      const read = new HeaderMap();
      for (const name of READ_HEADERS) if (headers[name] !== undefined) read.set(name, headers[name]);
      const answer = await apollo.executeHTTPGraphQLRequest({
        httpGraphQLRequest: { method, headers: read, search, body },
        context: async () => contextOf(await call(), 'payload'),
      });
      if (answer.body.kind !== 'complete') throw new Error('an answer in chunks was not asked for');
      return { status: answer.status ?? 200, headers: Object.fromEntries(answer.headers), body: answer.body.string };
    },
    stop: () => apollo.stop(),
  };
}

/** Apollo asks a gateway to run what it has parsed and validated: the door for our executor. */
function gateway(schema: GraphQLSchema, settings: Settings, log: Logger): Gateway {
  const run = createExecutor({
    schema,
    settings,
    onBroken: (thrown) => log.warn({ err: thrown }, 'a compiled operation broke'),
  });
  return {
    onSchemaLoadOrUpdate(tell) {
      tell({ apiSchema: schema, coreSupergraphSdl: '' });
      return () => {};
    },
    load: async () => ({
      executor: async ({ queryHash, document, request, context }) =>
        run({
          hash: queryHash,
          document,
          name: request.operationName ?? null,
          variables: request.variables ?? {},
          context: context as GraphContext,
        }),
    }),
    async stop() {},
  };
}
