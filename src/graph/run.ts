/** Runs in-process operations. Compiles each document once. Returns complete data, or throws the original error. */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  validate,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { asRefusal } from '../infra/postgres/failures.ts';
import { type Call, logOf } from '../kernel/call.ts';
import { CatalogError } from '../kernel/errors.ts';
import { withoutUndefined } from '../kernel/json.ts';
import { checkText } from '../kernel/text.ts';
import { type Measured, measure } from './admission/cost.ts';
import type { Variables } from './admission/list-size.ts';
import { cachedResult } from './cached.sql.ts';
import { contextOf } from './context.ts';
import type { FieldSpans } from './field-spans.ts';
import { onReplica } from './replica.ts';
import { describeDocument, endOperation, traceOperation } from './traced.ts';

/**
 * Runs one operation. Returns all of its data, which must not be changed. `isCached`: visitors may get the data of an earlier run
 * (cached.sql.ts), so all of it must be from the catalog's database. @throws the first error of a resolver, unwrapped
 */
export type RunOperation = <Data, Variables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  call: Call,
  isCached?: boolean,
) => Promise<Data>;

/** A runner for one schema. It compiles operations on first use and caches them until the process ends. */
export function createRunner(schema: GraphQLSchema): RunOperation {
  const compiled = new Map<DocumentNode, CompiledQuery>();
  const measured = new Map<DocumentNode, Measured>();

  /** The cost of an operation, calculated as for `/graphql`. Capped at its limit, because callers do not choose our list sizes. */
  function costOf(document: DocumentNode, variables: Variables, call: Call): number {
    let known = measured.get(document);
    if (!known) {
      known = measure(
        schema,
        document,
        getOperationAST(document) as OperationDefinitionNode,
        call.settings['catalog.limits.rows'],
      );
      measured.set(document, known);
    }
    return Math.min(known.amount(variables).cost, call.settings['catalog.limits.graphql_cost']);
  }

  return async (document, variables, call, isCached = false) => {
    checkText(variables, Number.POSITIVE_INFINITY); // facades limit the number of values; variables may contain a few more
    call.request.charge?.(costOf(document, variables as Variables, call));
    let operation = compiled.get(document);
    if (!operation) compiled.set(document, (operation = compileOperation(schema, document)));
    const { query } = operation;
    // compiled operations treat keys that are undefined as given
    const given = withoutUndefined(variables) as Record<string, unknown>;
    const execute = (call: Call, fields?: FieldSpans) =>
      query(undefined, contextOf(call, 'facade', fields), given) as Promise<ExecutionResult> | ExecutionResult;
    const cached = isCached ? (call: Call) => cachedResult(call, document, given, execute) : execute;
    const fields = call.request.span && traceOperation(call, call.request.span);
    const work = fields ? (chosen: Call) => execute(chosen, chosen === call ? fields : fields.with(chosen)) : cached;
    let hasFailed = true;
    try {
      const result = await onReplica(call, document, null, work);
      if (result.errors?.length) throw asRefusal(originalOf(result.errors[0] as GraphQLError), logOf(call));
      hasFailed = false;
      return result.data as never;
    } finally {
      if (fields) endOperation(fields, describeDocument(document), hasFailed);
    }
  };
}

/** Compiles an operation. @throws Error when the document is invalid for the schema, or cannot be compiled */
export function compileOperation(schema: GraphQLSchema, document: DocumentNode, operationName = ''): CompiledQuery {
  const problems = validate(schema, document);
  if (problems.length > 0) throw problems[0];
  const operation = compileQuery(schema, document, operationName, { customJSONSerializer: false });
  if (!isCompiledQuery(operation)) throw new Error(`operation does not compile: ${JSON.stringify(operation)}`);
  return operation;
}

/** The error that a resolver threw, unwrapped from GraphQLError. A variable of the wrong type becomes VALIDATION. */
function originalOf(error: GraphQLError): Error {
  let inner: unknown = error;
  while (inner instanceof Error && 'originalError' in inner && inner.originalError) inner = inner.originalError;
  if (inner === error && !error.path)
    return new CatalogError('VALIDATION', error.message, [{ path: [], message: error.message }]);
  return inner as Error;
}
