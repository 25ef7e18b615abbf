/** Mutations with the minimal accepted input. */
import {
  type GraphQLField,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
} from 'graphql';

const MIN: Readonly<Record<string, string>> = { Int: '1', Long: '1', Float: '1', Boolean: 'true', JSON: '{}' };

function least(type: GraphQLInputType): string {
  const inner = getNullableType(type);
  if (isListType(inner)) return '[]';
  if (isEnumType(inner)) return inner.getValues()[0]!.name;
  if (!isInputObjectType(inner)) return MIN[inner.name] ?? '"2020-01-01T00:00:00Z"';
  const fields = Object.values(inner.getFields()).filter(isRequiredInputField);
  return `{ ${fields.map((field) => `${field.name}: ${least(field.type)}`).join(', ')} }`;
}

/** A mutation that selects only its errors. */
export const minimal = (field: GraphQLField<unknown, unknown>): string =>
  `mutation { ${field.name}(input: ${least(field.args[0]!.type)}) { errors { code message } } }`;
