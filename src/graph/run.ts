/** In-process operations: compiled once per document, answered whole or refused with the error as it was thrown. */
import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  validate,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { asRefusal } from '../infra/postgres/failures.ts';
import type { Call } from '../kernel/call.ts';
import { CatalogError } from '../kernel/errors.ts';
import { checkText } from '../kernel/text.ts';
import { type Measured, measure } from './admission/cost.ts';
import type { Variables } from './admission/list-size.ts';
import { contextOf } from './context.ts';

/** Runs one operation to the end: all of the data, or the first error as it was thrown. */
export type RunOperation = <Data, Variables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  call: Call,
) => Promise<Data>;

/** A runner over one schema. Operations are compiled at first use and kept for the life of the process. */
export function createRunner(schema: GraphQLSchema): RunOperation {
  const compiled = new Map<DocumentNode, CompiledQuery>();
  const measured = new Map<DocumentNode, Measured>();

  /** What an operation of ours costs, by the arithmetic of `/graphql`; never more than is allowed there, for nobody chose our lists. */
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

  return async (document, variables, call) => {
    checkText(variables, Number.POSITIVE_INFINITY); // values are counted where requests come in: here there may be a few more
    call.charge?.(costOf(document, variables as Variables, call));
    let operation = compiled.get(document);
    if (!operation) compiled.set(document, (operation = compileOperation(schema, document)));
    const result = await operation.query(
      undefined,
      contextOf(call, 'throw'),
      given(variables) as Record<string, unknown>,
    );
    if (result.errors?.length) throw asRefusal(originalOf(result.errors[0] as GraphQLError), call.log);
    return result.data as never;
  };
}

/** A copy without undefined: the compiled reader of variables would take a key that is there for one that was given. */
function given(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(given);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, given(item)]),
  );
}

/** Compiles a valid operation. @throws Error when the document does not fit the schema. */
export function compileOperation(schema: GraphQLSchema, document: DocumentNode, operationName = ''): CompiledQuery {
  const problems = validate(schema, document);
  if (problems.length > 0) throw problems[0];
  const operation = compileQuery(schema, document, operationName, { customJSONSerializer: false });
  if (!isCompiledQuery(operation)) throw new Error(`operation does not compile: ${JSON.stringify(operation)}`);
  return operation;
}

/** What a resolver threw, under GraphQL's wrapping; a value that does not fit its type is the caller's mistake. */
function originalOf(error: GraphQLError): Error {
  let inner: unknown = error;
  while (inner instanceof Error && 'originalError' in inner && inner.originalError) inner = inner.originalError;
  if (inner === error && !error.path)
    return new CatalogError('VALIDATION', error.message, [{ path: [], message: error.message }]);
  return inner as Error;
}
