/**
 * Answers known queries without Apollo Server's pipeline, which adds a fifth to the CPU of a full dataset. Only for sites without
 * Apollo plugins, where nothing else can tell the difference: docs/decisions/0025.
 */
import type { ExecutionResult } from 'graphql';
import type { Admitted, Gate } from './admission/admission.ts';
import { type Documents, hashOf } from './execution/documents.ts';
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

/** Answers an operation, or returns null: the pipeline then answers it. */
export type FastPath = (context: OperationContext) => Promise<GraphAnswer | null>;

/**
 * Leaves to the pipeline: new documents, mutations, subscriptions, refused operations and results with errors. A query with errors
 * has run then and is charged. `operation.running` keeps its result, so that it neither runs nor is charged again.
 */
export function createFastPath(options: FastPathOptions): FastPath {
  const { find, documents, gate, trustedOnly, execute, metadata } = options;

  return async function answer(context) {
    const { call, operation } = context;
    const { parameters, onlyReads } = operation.request;
    const { operationName: name } = parameters;
    const variables = parameters.variables ?? {};
    const found = attempt(() => find(parameters));
    const opened = found && documents.find(hashOf(found.text));
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
    const { headers, extensions } = metadata(admitted.amount, call, onlyReads);
    return { status: 200, headers, result: { data: result.data, extensions } };
  };
}

/** Charges the caller for a query. Null for other operations. */
function chargedQuery(admitted: Admitted | null, { charge }: OperationContext['call']): Admitted | null {
  if (admitted?.kind !== 'query') return null;
  charge?.(admitted.amount.cost);
  return admitted;
}

/** Null for a refusal: the pipeline refuses again, in its words. A refused charge takes nothing. */
function attempt<Result>(work: () => Result): Result | null {
  try {
    return work();
  } catch {
    return null;
  }
}
