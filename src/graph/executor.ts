/** Runs the operations of `/graphql`: limits first, compiled from the third time on. Knows neither HTTP nor Apollo. */
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
} from 'graphql';
import type { CompiledQuery } from 'graphql-jit';
import type { Settings } from '../kernel/config.ts';
import { CatalogError } from '../kernel/errors.ts';
import { isCompilable } from './compilable.ts';
import type { GraphContext } from './context.ts';
import { checkRun, checkShape } from './limits.ts';
import type { Variables } from './list-size.ts';
import { createLru } from './lru.ts';
import { type Measured, measure } from './measure.ts';
import { compileOperation } from './run.ts';

export interface Operation {
  /** Tells documents apart; equal texts have equal hashes. */
  readonly hash: string;
  /** Valid against the schema. */
  readonly document: DocumentNode;
  readonly name: string | null;
  readonly variables: Variables;
  readonly context: GraphContext;
}

export interface ExecutorOptions {
  readonly schema: GraphQLSchema;
  readonly settings: Settings;
  /** Told when a compiled operation breaks; the operation is then answered by graphql itself. */
  readonly onBroken: (thrown: unknown) => void;
}

/** What is known of an operation: why it is always refused, or how big it is and how to run it. */
interface Plan {
  readonly refusal: CatalogError | null;
  readonly measured: Measured;
  readonly compilable: boolean;
  seen: number;
}

/** Operations remembered, and fields in all compiled ones together. */
const PLANS = 1_000;
const COMPILED_FIELDS = 50_000;
/** Compiling costs milliseconds: somebody who sends a new document each time must not make us do it. */
const COMPILE_AT = 3;

/** A function that answers operations as graphql's `execute` does. Refusals are errors without data. */
export function createExecutor({ schema, settings, onBroken }: ExecutorOptions) {
  const plans = createLru<Plan>(PLANS);
  const compiled = createLru<CompiledQuery>(COMPILED_FIELDS);

  return async function run(operation: Operation): Promise<ExecutionResult> {
    const key = `${operation.hash} ${operation.name ?? ''}`;
    const plan = planOf(key, operation);
    if (!plan) return executeWith(schema, operation);
    try {
      if (plan.refusal) throw plan.refusal;
      checkRun(plan.measured, operation.variables, settings);
    } catch (thrown) {
      if (!(thrown instanceof CatalogError)) throw thrown;
      return { errors: [new GraphQLError(thrown.message, { originalError: thrown })] };
    }
    const query = compiledOf(key, plan, operation);
    return query ? runCompiled(query, plan, operation) : executeWith(schema, operation);
  };

  /** Null when the document has no operation of that name, or several and none is named: `execute` says so. */
  function planOf(key: string, { document, name }: Operation): Plan | null {
    const before = plans.get(key);
    if (before) return before;
    const operation = getOperationAST(document, name);
    if (!operation) return null;
    const measured = measure(schema, document, operation, settings['catalog.limits.rows']);
    const refusal = refusalOf(() => checkShape(measured, document, operation, settings));
    const plan = {
      refusal,
      measured,
      compilable: !refusal && isCompilable(schema, document, operation, measured),
      seen: 0,
    };
    plans.set(key, plan);
    return plan;
  }

  function compiledOf(key: string, plan: Plan, { document, name }: Operation): CompiledQuery | undefined {
    if (!plan.compilable || ++plan.seen < COMPILE_AT) return undefined;
    const before = compiled.get(key);
    if (before) return before;
    try {
      const query = compileOperation(schema, document, name ?? '');
      compiled.set(key, query, plan.measured.fields);
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

function refusalOf(check: () => void): CatalogError | null {
  try {
    check();
    return null;
  } catch (thrown) {
    if (thrown instanceof CatalogError) return thrown;
    throw thrown;
  }
}
