/** Admission control for external operations: checks the limits on the document once, and on the variables of each run. */
import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
  type OperationTypeNode,
} from 'graphql';
import { createLru } from '../../infra/concurrency/lru.ts';
import { CatalogError } from '../../kernel/errors.ts';
import type { Settings } from '../../kernel/settings.ts';
import { isCompilable } from '../execution/compilable.ts';
import type { OpenDocument } from '../execution/documents.ts';
import { type Amount, type Measured, measure } from './cost.ts';
import { checkRun, checkShape } from './limits.ts';
import type { Variables } from './list-size.ts';

/** Cached facts about an operation: its refusal or null, its size, and whether it can be compiled. */
export interface Plan {
  readonly refusal: CatalogError | null;
  readonly measured: Measured;
  readonly compilable: boolean;
  seen: number;
}

export interface Admitted {
  /** Identifies the operation by document and name. */
  readonly key: string;
  readonly kind: OperationTypeNode;
  readonly plan: Plan;
  readonly amount: Amount;
}

export interface Gate {
  /**
   * Admits an operation, including subscriptions. Null when the document has no operation of that name, or several operations and
   * no name is given. Running it then returns the error. @throws CatalogError LIMIT; VALIDATION for a text that cannot be stored
   */
  admit(opened: OpenDocument, name: string | null, variables: Variables): Admitted | null;
}

/** Maximum cached plans. */
const PLANS = 1_000;

export function createGate(schema: GraphQLSchema, settings: Settings): Gate {
  const plans = createLru<Plan>(PLANS);

  function planOf(key: string, document: DocumentNode, operation: OperationDefinitionNode): Plan {
    const before = plans.get(key);
    if (before) return before;
    const measured = measure(schema, document, operation, settings['catalog.limits.rows']);
    const refusal = refusalOf(() => checkShape(measured, operation, settings));
    const compilable = !refusal && isCompilable(schema, document, operation, measured);
    const plan = { refusal, measured, compilable, seen: 0 };
    plans.set(key, plan);
    return plan;
  }

  return {
    admit({ hash, document }, name, variables) {
      const operation = getOperationAST(document, name);
      if (!operation) return null;
      const key = `${hash} ${name ?? ''}`;
      const plan = planOf(key, document, operation);
      if (plan.refusal) throw plan.refusal;
      return { key, kind: operation.operation, plan, amount: checkRun(plan.measured, variables, settings) };
    },
  };
}

function refusalOf(check: () => void): CatalogError | null {
  try {
    check();
    return null;
  } catch (thrown) {
    if (thrown instanceof CatalogError) return thrown;
    throw thrown;
  }
}
