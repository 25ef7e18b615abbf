/** Types of one external operation for Apollo Server, our plugins and our executor. */
import type { ApolloServerPlugin, GraphQLRequestListener } from '@apollo/server';
import type { ExecutionResult, GraphQLFormattedError } from 'graphql';
import type { Call } from '../../kernel/call.ts';
import type { Admitted } from '../admission/admission.ts';
import { Context } from '../context.ts';
import type { FieldSpans } from '../field-spans.ts';
import type { Found } from '../persisted/persisted.ts';
import type { Subscribed } from '../subscriptions/subscriptions.ts';
import type { OpenDocument } from './documents.ts';

/** The parameters of a request, with checked types. */
export interface GraphParameters {
  /** Null when the client identifies the document in another way. */
  readonly query: string | null;
  /** The id of a persisted or trusted document. */
  readonly documentId: string | null;
  readonly operationName: string | null;
  readonly variables: Record<string, unknown> | null;
  readonly extensions: Record<string, unknown> | null;
}

export interface GraphRequest {
  readonly parameters: GraphParameters;
  /** Whether mutations are refused, as for GET. */
  readonly onlyReads: boolean;
  /** The headers of the request, or of the request that opened the WebSocket. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The request id in the log and in masked errors. */
  readonly requestId: string;
  /** Authenticates the caller. Called repeatedly during a subscription. */
  call(): Call | Promise<Call>;
}

export interface GraphAnswer {
  /**
   * 400 for an operation that did not run, 403 for a refused caller, 404 for an unknown `documentId`. 405 for a mutation by GET. 429
   * over a rate limit or with too many streams. 500 for a defect of the server, 503 when a component is down. Otherwise 200.
   */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly result: {
    readonly errors?: readonly GraphQLFormattedError[];
    readonly data?: unknown;
    readonly extensions?: Readonly<Record<string, unknown>>;
  };
  /** Name of an operation of the operator's manifest. */
  readonly trustedName?: string | null;
}

/** The state of an operation that plugins and executor share. */
export interface OperationState {
  readonly request: GraphRequest;
  /** Whether the client can read a stream of results. */
  readonly mayStream: boolean;
  found?: Found;
  opened?: OpenDocument;
  /** Null when the document has no operation of that name, or several operations and no name is given. */
  admitted?: Admitted | null;
  /** Why the operation does not run. */
  refusal?: unknown;
  /** A defect that Apollo Server does not forward. */
  failure?: unknown;
  subscribed?: Subscribed;
  /** The result of a query with errors that the fast path has run and charged. */
  running?: Promise<ExecutionResult>;
}

/** The context of resolvers, with the state of the operation for plugins. */
export class OperationContext extends Context {
  readonly operation: OperationState;

  constructor(call: Call, operation: OperationState, fields: FieldSpans | null = null) {
    super(call, 'client', fields);
    this.operation = operation;
  }

  override with(call: Call): OperationContext {
    return new OperationContext(call, this.operation, this.fields?.with(call));
  }
}

export type GraphPlugin = ApolloServerPlugin<OperationContext>;

/** A plugin with the same listener for every operation. */
export const listening = (listener: GraphQLRequestListener<OperationContext>): GraphPlugin => ({
  requestDidStart: async () => listener,
});
