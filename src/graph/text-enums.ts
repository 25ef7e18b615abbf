/**
 * Enums of texts in the public schema. The full schema has strings instead, so resolvers get and return the texts. `OTHER` stands for every
 * text that is not in the enum: old data and other APIs have some.
 */
import { type GraphQLEnumType, GraphQLError, type GraphQLSchema, isEnumType, Kind, type ValueNode } from 'graphql';
import { textEnums } from './type-defs.ts';

const OTHER = 'OTHER';

/** Makes `OTHER` an output for all other texts, and no input. */
export function withOther(schema: GraphQLSchema): GraphQLSchema {
  for (const name of Object.keys(textEnums)) {
    const type = schema.getType(name);
    if (isEnumType(type) && type.getValue(OTHER)) allowOther(type);
  }
  return schema;
}

function allowOther(type: GraphQLEnumType): void {
  const names = new Map(type.getValues().map(({ name, value }) => [value as unknown, name]));
  const { parseValue, parseLiteral } = type;
  const refuse = (isOther: boolean): void => {
    if (isOther) throw new GraphQLError(`OTHER of ${type.name} is an output only: give another value`);
  };
  type.serialize = (text) => names.get(text) ?? OTHER;
  type.parseValue = (value) => {
    refuse(value === OTHER);
    return parseValue.call(type, value);
  };
  type.parseLiteral = (node: ValueNode, variables) => {
    refuse(node.kind === Kind.ENUM && node.value === OTHER);
    return parseLiteral.call(type, node, variables);
  };
}
