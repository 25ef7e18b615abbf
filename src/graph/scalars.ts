import { GraphQLError, GraphQLScalarType, type GraphQLScalarTypeConfig, valueFromASTUntyped } from 'graphql';
import { JsonText } from '../kernel/json.ts';

/** A scalar without its own description and specification, so that those in the SDL are used. */
function scalar<I, O>(config: GraphQLScalarTypeConfig<I, O>): GraphQLScalarType<I, O> {
  const type = new GraphQLScalarType(config);
  delete (type as Partial<GraphQLScalarType<I, O>>).description;
  delete (type as Partial<GraphQLScalarType<I, O>>).specifiedByURL;
  return type;
}

/** A year of four digits, a month, a day or a time. `Date` also accepts words, and years that PostgreSQL refuses, such as 0. */
const INSTANT = /^(?!0000)\d{4}(-\d\d(-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d)?)?)?)?$/;

/** A time without a zone is in UTC. */
function parseDateTime(value: unknown): Date {
  const text = typeof value === 'string' && INSTANT.test(value) ? value : '';
  const at = new Date(/T[\d:.]+$/.test(text) ? `${text}Z` : text);
  if (Number.isNaN(at.getTime()))
    throw new GraphQLError(`DateTime: must be an ISO 8601 time, got ${JSON.stringify(value)}`);
  return at;
}

function parseLong(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
    throw new GraphQLError(`Long: must be an integer of at most 53 bits, got ${JSON.stringify(value)}`);
  }
  return value;
}

const json = (name: string) =>
  scalar<unknown, unknown>({
    name,
    serialize: (value) => value,
    parseValue: (value) => (value instanceof JsonText ? value.toJSON() : value),
    parseLiteral: (node, variables) => valueFromASTUntyped(node, variables),
  });

/** Custom scalars. schema/base.graphql describes them. */
export const scalars = {
  DateTime: scalar<Date, string>({
    name: 'DateTime',
    serialize: (value) => (value instanceof Date ? value.toISOString() : String(value)),
    parseValue: parseDateTime,
    parseLiteral: (node) => parseDateTime('value' in node ? node.value : null),
  }),
  JSON: json('JSON'),
  _Any: json('_Any'),
  Long: scalar<number, number>({
    name: 'Long',
    serialize: (value) => Number(value),
    parseValue: parseLong,
    parseLiteral: (node) => parseLong(node.kind === 'IntValue' ? Number(node.value) : null),
  }),
};
