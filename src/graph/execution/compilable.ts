/** Decides whether graphql-jit answers an operation exactly as graphql does. The others run on graphql's own executor. */
import {
  type DocumentNode,
  type GraphQLInputObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isSpecifiedScalarType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type ValueNode,
  type VariableDefinitionNode,
  visit,
} from 'graphql';
import type { Measured } from '../admission/cost.ts';

/** Maximum fields of a compiled operation. Time and memory for compiling grow with them. */
const MAX_FIELDS = 1_000;

/**
 * True for queries of moderate size whose compiled form has no known difference. Differences seen in graphql-jit 0.8.9:
 * - Mutations continue after a failed one.
 * - A field called `__proto__` is lost.
 * - Omitted variables inside object or list literals become null. In custom scalars they are lost.
 * - Defaults of custom scalars and input objects are not parsed.
 * - Compiling a recursive input type never ends.
 */
export function isCompilable(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  measured: Measured,
): boolean {
  return (
    operation.operation === 'query' &&
    measured.fields <= MAX_FIELDS &&
    !measured.oddNames &&
    (operation.variableDefinitions ?? []).every((node) => isPlainVariable(schema, node)) &&
    !hasNestedVariable(document)
  );
}

function isPlainVariable(schema: GraphQLSchema, { type: node, defaultValue }: VariableDefinitionNode): boolean {
  const type = getNamedType(typeFromAST(schema, node as Parameters<typeof typeFromAST>[1]));
  if (!type) return false;
  if (defaultValue && !(isSpecifiedScalarType(type) || isEnumType(type))) return false;
  return !isInputObjectType(type) || !holdsItself(type, []);
}

function holdsItself(type: GraphQLInputObjectType, above: readonly GraphQLInputObjectType[]): boolean {
  if (above.includes(type)) return true;
  return Object.values(type.getFields()).some((field) => {
    const inner = getNamedType(field.type);
    return isInputObjectType(inner) && holdsItself(inner, [...above, type]);
  });
}

function hasNestedVariable(document: DocumentNode): boolean {
  let found = false;
  const look = (node: ValueNode): void => {
    visit(node, {
      [Kind.VARIABLE]: () => {
        found = true;
      },
    });
  };
  visit(document, { [Kind.OBJECT]: look, [Kind.LIST]: look });
  return found;
}
