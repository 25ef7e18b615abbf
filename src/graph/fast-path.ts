/**
 * Answers known queries without Apollo Server's pipeline, which costs more CPU (figures in docs/decisions/0025). Only for sites
 * without Apollo plugins, because only a plugin could notice the difference.
 */
import type { ExecutionResult } from 'graphql';
import type { Admitted, Gate } from './admission/admission.ts';
import type { Documents } from './execution/documents.ts';
import type { Operation } from './execution/executor.ts';
import type { GraphAnswer, OperationContext } from './execution/operation.ts';
import type { FindDocument } from './persisted/persisted.ts';
import type { Metadata } from './plugins/answers.ts';

export interface FastPathOptions {
  readonly find: FindDocument;
  readonly documents: Documents;
  readonly gate: Gate;
  readonly trustedOnly: boolean;
  readonly execute: (operation: Operation) => Promise<ExecutionResult>;
  readonly metadata: Metadata;
}

/** Answers an operation. Null: the pipeline must answer it. */
export type FastPath = (context: OperationContext) => Promise<GraphAnswer | null>;

/**
 * The pipeline answers new documents, mutations, subscriptions, refused operations and results with errors. A query with errors has
 * already run and been charged. `operation.running` holds its result, so that the pipeline does neither again.
 */
export function createFastPath(options: FastPathOptions): FastPath {
  const { find, documents, gate, trustedOnly, execute, metadata } = options;

  return async function answer(context) {
    const { call, operation } = context;
    const { parameters, onlyReads } = operation.request;
    const { operationName: name } = parameters;
    const variables = parameters.variables ?? {};
    const found = attempt(() => find(parameters));
    const opened = found && documents.findText(found.text);
    if (!opened || (trustedOnly && !found.isTrusted && call.actor.userId === null)) return null;
    const admitted = attempt(() => chargedQuery(gate.admit(opened, name, variables), call));
    if (!admitted) return null;
    found.keep();
    const running = execute({ context, document: opened.document, admitted, name, variables });
    const result = await running.catch(() => null);
    if (!result || result.errors) {
      operation.running = running;
      return null;
    }
    Object.assign(operation, { found, opened, admitted });
    const { headers, extensions } = metadata(admitted.amount, call, onlyReads);
    return { status: 200, headers, result: { data: result.data, extensions } };
  };
}

/** Charges the caller for a query. Null for other operations. */
function chargedQuery(admitted: Admitted | null, { request: { charge } }: OperationContext['call']): Admitted | null {
  if (admitted?.kind !== 'query') return null;
  charge?.(admitted.amount.cost);
  return admitted;
}

/** Null for a refusal. The pipeline then refuses the operation with its own message. A refused charge deducts nothing. */
function attempt<Result>(work: () => Result): Result | null {
  try {
    return work();
  } catch {
    return null;
  }
}
