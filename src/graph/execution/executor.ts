/** Runs operations that were let in, compiled from the third time on. Knows neither HTTP nor Apollo. */
import { type DocumentNode, type ExecutionResult, execute, GraphQLError, type GraphQLSchema } from 'graphql';
import type { CompiledQuery } from 'graphql-jit';
import { createLru } from '../../infra/concurrency/lru.ts';
import type { Admitted, Plan } from '../admission/admission.ts';
import type { Variables } from '../admission/list-size.ts';
import type { GraphContext } from '../context.ts';
import { compileOperation } from '../run.ts';

export interface Operation {
  /** Valid against the schema. */
  readonly document: DocumentNode;
  readonly name: string | null;
  readonly variables: Variables;
  readonly context: GraphContext;
  /** Null where the document has no such operation, which running it says. */
  readonly admitted: Admitted | null;
}

export interface ExecutorOptions {
  readonly schema: GraphQLSchema;
  /** Told when a compiled operation breaks; the operation is then answered by graphql itself. */
  readonly onBroken: (thrown: unknown) => void;
}

/** Room for compiled operations: their fields, and a bit for each stretch of the text that they keep. */
const COMPILED_FIELDS = 50_000;
const TEXT_OF_A_FIELD = 100;
/** Compiling costs milliseconds: somebody who sends a new document each time must not make us do it. */
const COMPILE_AT = 3;

/** A function that answers operations as graphql's `execute` does. */
export function createExecutor({ schema, onBroken }: ExecutorOptions) {
  let compiled = createLru<CompiledQuery>(COMPILED_FIELDS);
  const [first] = Object.values(schema.getQueryType()?.getFields() ?? {});
  let resolver = first?.resolve;

  return async function run(operation: Operation): Promise<ExecutionResult> {
    if (!operation.admitted) return executeWith(schema, operation);
    const query = compiledOf(operation.admitted, operation);
    return query ? runCompiled(query, operation.admitted.plan, operation) : executeWith(schema, operation);
  };

  function compiledOf({ key, plan }: Admitted, { document, name }: Operation): CompiledQuery | undefined {
    if (!plan.compilable || ++plan.seen < COMPILE_AT) return undefined;
    if (first?.resolve !== resolver) {
      // A plugin of Apollo Server follows fields from now on: compiled operations would call the resolvers of before.
      resolver = first?.resolve;
      compiled = createLru(COMPILED_FIELDS);
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

  /** Variables that do not fit are refused by `execute`, in its words. A query has no effects, so it may be run again. */
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

/** The compiler's errors lack `extensions`, which Apollo reads: made again as GraphQL's own. */
function rebuilt({ message, path, locations, originalError }: GraphQLError): GraphQLError {
  const error = new GraphQLError(message, { path, originalError });
  return locations ? Object.defineProperty(error, 'locations', { value: locations, enumerable: true }) : error;
}

const executeWith = async (
  schema: GraphQLSchema,
  { document, name, variables, context }: Operation,
): Promise<ExecutionResult> =>
  execute({ schema, document, operationName: name, variableValues: variables, contextValue: context });
