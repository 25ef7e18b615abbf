/** Runs admitted operations, compiled from the third run. Independent of HTTP and Apollo. */
import { type DocumentNode, type ExecutionResult, execute, GraphQLError, type GraphQLSchema } from 'graphql';
import type { CompiledQuery } from 'graphql-jit';
import { createLru } from '../../infra/concurrency/lru.ts';
import type { Admitted, Plan } from '../admission/admission.ts';
import type { Variables } from '../admission/list-size.ts';
import { withRecordsBudget } from '../admission/records.ts';
import type { GraphContext } from '../context.ts';
import { onReplica } from '../replica.ts';
import { compileOperation } from '../run.ts';

export interface Operation {
  /** Valid against the schema. */
  readonly document: DocumentNode;
  readonly name: string | null;
  readonly variables: Variables;
  readonly context: GraphContext;
  /** Null when the document does not have this operation. Running it returns the error. */
  readonly admitted: Admitted | null;
}

export interface ExecutorOptions {
  readonly schema: GraphQLSchema;
  /** Called when a compiled operation breaks. graphql's own executor then answers the operation. */
  readonly onBroken: (thrown: unknown) => void;
}

/** Capacity of the cache of compiled operations, in fields. Their text counts as a field per TEXT_OF_A_FIELD characters. */
const COMPILED_FIELDS = 50_000;
const TEXT_OF_A_FIELD = 100;
/** The run at which an operation is compiled. Compiling takes milliseconds, which documents that never repeat must not cost. */
const COMPILE_AT = 3;

/** Returns a function with the results of graphql's `execute`. */
export function createExecutor({ schema, onBroken }: ExecutorOptions) {
  let compiled = createLru<CompiledQuery>(COMPILED_FIELDS, 'graphql_compiled');
  const [first] = Object.values(schema.getQueryType()?.getFields() ?? {});
  let resolver = first?.resolve;

  return (operation: Operation): Promise<ExecutionResult> =>
    onReplica(operation.context.call, operation.document, operation.name, (call) =>
      run(
        call === operation.context.call
          ? operation
          : { ...operation, context: operation.context.with(withRecordsBudget(call)) }, // the primary may have to run it again
      ),
    );

  async function run(operation: Operation): Promise<ExecutionResult> {
    if (!operation.admitted) return executeWith(schema, operation);
    const query = compiledOf(operation.admitted, operation);
    return query ? runCompiled(query, operation.admitted.plan, operation) : executeWith(schema, operation);
  }

  function compiledOf({ key, plan }: Admitted, { document, name }: Operation): CompiledQuery | undefined {
    if (!plan.compilable || ++plan.seen < COMPILE_AT) return undefined;
    if (first?.resolve !== resolver) {
      // A plugin of Apollo Server has started to instrument fields. Compiled operations would call the previous resolvers.
      resolver = first?.resolve;
      compiled = createLru(COMPILED_FIELDS, 'graphql_compiled');
    }
    const before = compiled.get(key);
    if (before) return before;
    try {
      const query = compileOperation(schema, document, name ?? '');
      compiled.set(key, query, plan.measured.fields + Math.ceil((document.loc?.end ?? 0) / TEXT_OF_A_FIELD));
      return query;
    } catch (thrown) {
      onBroken(thrown);
      plan.seen = Number.NEGATIVE_INFINITY;
      return undefined;
    }
  }

  /** Invalid variables are refused by `execute`, with its messages. A query has no effects, so it can run again. */
  async function runCompiled(query: CompiledQuery, plan: Plan, operation: Operation): Promise<ExecutionResult> {
    try {
      const result = (await query.query(undefined, operation.context, operation.variables)) as ExecutionResult;
      if ('data' in result) return result.errors ? { ...result, errors: result.errors.map(rebuilt) } : result;
    } catch (thrown) {
      onBroken(thrown);
      plan.seen = Number.NEGATIVE_INFINITY;
    }
    return executeWith(schema, operation);
  }
}

/** Converts an error of the compiler to a GraphQLError, because it lacks `extensions`, which Apollo reads. */
function rebuilt({ message, path, locations, originalError }: GraphQLError): GraphQLError {
  const error = new GraphQLError(message, { path, originalError });
  return locations ? Object.defineProperty(error, 'locations', { value: locations, enumerable: true }) : error;
}

const executeWith = async (
  schema: GraphQLSchema,
  { document, name, variables, context }: Operation,
): Promise<ExecutionResult> =>
  execute({ schema, document, operationName: name, variableValues: variables, contextValue: context });
