/** One operation from outside, as Apollo Server, our plugins and our executor see it. */
import type { ApolloServerPlugin, GraphQLRequestListener } from '@apollo/server';
import type { ExecutionResult, GraphQLFormattedError } from 'graphql';
import type { Call } from '../../kernel/call.ts';
import type { Admitted } from '../admission/admission.ts';
import { Context } from '../context.ts';
import type { Found } from '../persisted/persisted.ts';
import type { Subscribed } from '../subscriptions/subscriptions.ts';
import type { OpenDocument } from './documents.ts';

/** The parameters of a request, each of its kind. */
export interface GraphParameters {
  /** Null where the client names the document in another way. */
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
  /** The headers of the request, or of the one that opened the WebSocket. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The id of the request in the log and in masked errors. */
  readonly requestId: string;
  /** Authenticates the caller. Called again while a subscription goes on. */
  call(): Call | Promise<Call>;
}

export interface GraphAnswer {
  /** 400 where nothing ran; 403 where the caller is refused, 429 over a rate limit, 503 while a part is down. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly result: {
    readonly errors?: readonly GraphQLFormattedError[];
    readonly data?: unknown;
    readonly extensions?: Readonly<Record<string, unknown>>;
  };
}

/** What plugins and executor have found out about an operation so far. */
export interface OperationState {
  readonly request: GraphRequest;
  /** Whether the client can read more than one result. */
  readonly mayStream: boolean;
  found?: Found;
  opened?: OpenDocument;
  /** Null where the document has no operation of that name, or several and none is named. */
  admitted?: Admitted | null;
  /** Why the operation does not run. */
  refusal?: unknown;
  /** A defect that Apollo Server does not pass on. */
  failure?: unknown;
  subscribed?: Subscribed;
  /** A query that the fast path has started and charged, and that has errors. */
  running?: Promise<ExecutionResult>;
}

/** The context of resolvers, and for plugins the state of the operation. */
export class OperationContext extends Context {
  readonly operation: OperationState;

  constructor(call: Call, operation: OperationState) {
    super(call, 'payload');
    this.operation = operation;
  }
}

export type GraphPlugin = ApolloServerPlugin<OperationContext>;

/** A plugin with the same listener for every operation. */
export const listening = (listener: GraphQLRequestListener<OperationContext>): GraphPlugin => ({
  requestDidStart: async () => listener,
});
