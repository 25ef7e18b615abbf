/** Calculates the size of a list from the arguments of its field. */
import { type FieldNode, type GraphQLField, getNamedType, isInputObjectType, Kind, type ValueNode } from 'graphql';

export type Variables = Readonly<Record<string, unknown>>;

/** The requested size of a list, which can be negative. `constant` is null if it depends on a variable. Equal keys mean equal sizes. */
export interface Size {
  readonly key: string;
  readonly constant: number | null;
  of(variables: Variables): number;
}

/** Facts about the operation that list sizes depend on. */
export interface Asking {
  /** The size of a list without its `limit` argument (catalog.limits.rows). */
  readonly maxLength: number;
  /** The operation's variables with their defaults. */
  readonly defaults: ReadonlyMap<string, ValueNode | undefined>;
}

/** Size of a connection without `first`, as in kernel/connection. */
export const USUAL_PAGE = 20;
/** Assumed size of a list without a size argument. */
export const USUAL_LIST = 10;
/** Assumed size of LONG_LISTS: fields that return everything at once and grow with the catalog. */
export const LONG_LIST = 100;
export const LONG_LISTS: ReadonlySet<string> = new Set([
  'Query.datasetRelationships',
  'Query.datasetRevisions',
  'Query.followees',
  'Query.followerList',
  'Query.groupMembers',
  'Query.groupRevisions',
  'Query.myGroups',
  'Query.myOrganizations',
  'Query.relatedItemList',
  'Query.termTranslationList',
  'Query.taskStatuses',
  'Query.userList',
  'Group.memberships',
  'GroupLike.memberships',
  'Organization.memberships',
  'SearchFacetList.items',
  'Vocabulary.tags',
]);
/** Arguments that set the size of a list: a number, or a list with one item per result. */
const SIZES = ['first', 'last', 'limit', 'rows', 'ids', 'representations'];

/** A size that does not depend on variables. */
export const known = (size: number): Size => ({ key: String(size), constant: size, of: () => size });

/** The size set by a field's arguments, directly or inside an input object. Null for a field without a size argument. */
export function sizeOf(
  asking: Asking,
  { arguments: given }: FieldNode,
  definition: GraphQLField<unknown, unknown>,
): Size | null {
  const argumentOf = (name: string) => given?.find((argument) => argument.name.value === name)?.value;
  const direct = definition.args.find(({ name }) => SIZES.includes(name));
  const backward = direct && argumentOf('last');
  if (backward) return eitherOf(...[FIRST, LAST].map((one) => sizeFrom(asking, one, argumentOf(one.name))));
  if (direct) return sizeFrom(asking, direct, argumentOf(direct.name));
  for (const { name, type } of definition.args) {
    const input = getNamedType(type);
    const field = isInputObjectType(input)
      ? Object.values(input.getFields()).find((it) => SIZES.includes(it.name))
      : undefined;
    if (!field) continue;
    const value = argumentOf(name);
    if (value?.kind === Kind.OBJECT)
      return sizeFrom(asking, field, value.fields.find((it) => it.name.value === field.name)?.value);
    return sizeFrom(asking, field, value?.kind === Kind.VARIABLE ? value : undefined, field.name);
  }
  return null;
}

const [FIRST, LAST] = [
  { name: 'first', defaultValue: Number.NEGATIVE_INFINITY },
  { name: 'last', defaultValue: Number.NEGATIVE_INFINITY },
];

/** The size of a connection by `first` or `last`, of which one is given. */
function eitherOf(...sizes: readonly Size[]): Size {
  const among = (lengths: readonly number[]) => {
    const given = Math.max(...lengths);
    return Number.isFinite(given) ? given : USUAL_PAGE;
  };
  const constants = sizes.flatMap(({ constant }) => constant ?? []);
  if (constants.length === sizes.length) return known(among(constants));
  const key = sizes.map((size) => size.key).join(' or ');
  return { key, constant: null, of: (variables) => among(sizes.map((size) => size.of(variables))) };
}

/** `key`: the field with the size, if the variable is an input object. */
function sizeFrom(
  { defaults, maxLength }: Asking,
  declared: { name: string; defaultValue?: unknown },
  value: ValueNode | undefined,
  key?: string,
): Size {
  const usual = lengthOf(declared.defaultValue) ?? (declared.name === 'limit' ? maxLength : USUAL_PAGE);
  if (value?.kind !== Kind.VARIABLE) return known((value && lengthOfLiteral(value)) ?? usual);
  const name = value.name.value;
  const byDefault = within(defaults.get(name), key);
  const otherwise = (byDefault && lengthOfLiteral(byDefault)) ?? usual;
  // A given value replaces the whole default of the variable, even if it is null or omits the size.
  const lookUp: Size['of'] = (variables) => {
    const given = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (given === undefined) return otherwise;
    return lengthOf(key === undefined ? given : (given as Variables | null)?.[key]) ?? usual;
  };
  return { key: `$${name} ${key ?? ''} ${otherwise} ${usual}`, constant: null, of: lookUp };
}

/** The literal or, with a key, the value of that field in it. Undefined if it is missing. */
function within(literal: ValueNode | undefined, key: string | undefined): ValueNode | undefined {
  if (key === undefined) return literal;
  return literal?.kind === Kind.OBJECT ? literal.fields.find(({ name }) => name.value === key)?.value : undefined;
}

const lengthOf = (value: unknown): number | null =>
  typeof value === 'number' ? value : Array.isArray(value) ? value.length : null;

const lengthOfLiteral = (value: ValueNode): number | null =>
  value.kind === Kind.INT ? Number(value.value) : value.kind === Kind.LIST ? value.values.length : null;
