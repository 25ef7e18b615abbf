/** Which operations graphql-jit answers exactly as graphql does; the others stay with graphql's own executor. */
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

/** Fields of a compiled operation at most: compiling takes time and room by the field. */
const MAX_FIELDS = 1_000;

/**
 * True for queries of moderate size whose compiled form has no known difference. Differences seen in graphql-jit 0.8.9:
 * mutations go on after a failed one; a field called `__proto__` is lost; variables inside object or list literals come out
 * as null when omitted, and are lost in custom scalars; defaults of custom scalars and input objects are not parsed;
 * an input type that holds itself is compiled without end.
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
