/** Apollo plugin for admission control: refuses operations over a limit, untrusted documents, and callers over their rate limit. */
import type { GraphQLRequestContext } from '@apollo/server';
import { type DocumentNode, getOperationAST, Kind } from 'graphql';
import { CatalogError, notAuthorized } from '../../kernel/errors.ts';
import type { Gate } from '../admission/admission.ts';
import { checkDocument, checkLength } from '../admission/limits.ts';
import type { Documents, OpenDocument } from '../execution/documents.ts';
import { type GraphPlugin, listening, type OperationContext } from '../execution/operation.ts';

export interface AdmissionOptions {
  readonly documents: Documents;
  readonly gate: Gate;
  /** Whether anonymous callers may run only trusted documents (catalog.graphql.trusted_only). */
  readonly trustedOnly: boolean;
}

const UNTRUSTED =
  'anonymous visitors may run only trusted documents on this site (catalog.graphql.trusted_only); send a documentId';

const ASK_OTHERWISE =
  'A subscription has many answers: ask with Accept: text/event-stream, or over a WebSocket (graphql-transport-ws); see docs/changes.md';

/** Apollo Server neither parses nor validates this document, and finds no operation in it to refuse by GET. */
const EMPTY: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] };

type RequestContext = GraphQLRequestContext<OperationContext>;
type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/**
 * Checks as early as possible: the length before parsing, aliases and directives before validation, shape and cost after it. In
 * Apollo Server only `didResolveOperation` can refuse, so a refused document is replaced by an empty one until then.
 */
export function admission({ documents, gate, trustedOnly }: AdmissionOptions): GraphPlugin {
  return listening({
    async didResolveSource(context) {
      const { call, operation } = context.contextValue;
      check(context, () => {
        if (trustedOnly && !operation.found?.isTrusted && call.actor.userId === null) throw notAuthorized(UNTRUSTED);
        checkLength(context.source);
      });
      if (operation.refusal) return withhold(context);
      const known = documents.find(context.queryHash);
      if (!known) return;
      (context as Writable<RequestContext>).document = known.document;
      enter(context, known);
    },

    async parsingDidStart(context) {
      return async (failure) => {
        const { document } = context as RequestContext;
        if (failure || !document) return;
        check(context, () => checkDocument(document));
        if (context.contextValue.operation.refusal) withhold(context);
      };
    },

    async validationDidStart(context) {
      return async (errors) => {
        if (errors || context.contextValue.operation.refusal) return;
        enter(context, documents.keep(context.queryHash, context.source, context.document));
      };
    },

    async didResolveOperation(context) {
      const { opened, refusal } = context.contextValue.operation;
      if (opened && context.document === EMPTY) {
        const operation = getOperationAST(opened.document, context.request.operationName);
        const operationName = operation?.name?.value ?? null;
        Object.assign(context, { document: opened.document, operation, operationName });
      }
      if (refusal) throw refusal;
    },
  });

  /** Admits a valid document, and charges the caller. A subscription is charged when it starts. */
  function enter(context: RequestContext, opened: OpenDocument): void {
    const { call, operation } = context.contextValue;
    operation.opened = opened;
    check(context, () => {
      operation.found?.keep();
      const { operationName = null, variables = {} } = context.request;
      const admitted = gate.admit(opened, operationName, variables);
      const isSubscription = admitted?.kind === 'subscription';
      if (isSubscription && !operation.mayStream) throw new CatalogError('VALIDATION', ASK_OTHERWISE);
      if (admitted && !isSubscription && !operation.running) call.request.charge?.(admitted.amount.cost);
      operation.admitted = admitted;
    });
    if (operation.refusal || operation.admitted?.kind === 'subscription') withhold(context); // also by GET
  }
}

function check({ contextValue: { operation } }: RequestContext, work: () => void): void {
  if (operation.refusal) return;
  try {
    work();
  } catch (thrown) {
    operation.refusal = thrown;
  }
}

function withhold(context: Writable<RequestContext>): void {
  context.document = EMPTY;
}
