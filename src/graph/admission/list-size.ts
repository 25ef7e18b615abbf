/** How long a list gets, read off the arguments of its field. */
import { type FieldNode, type GraphQLField, getNamedType, isInputObjectType, Kind, type ValueNode } from 'graphql';

export type Variables = Readonly<Record<string, unknown>>;

/** The length of a list as it is asked for, negative too; `constant` is null where it hangs on a variable. Equal keys mean equal sizes. */
export interface Size {
  readonly key: string;
  readonly constant: number | null;
  of(variables: Variables): number;
}

/** What must be known of the operation. */
export interface Asking {
  /** What a list holds whose `limit` is left out (catalog.limits.rows). */
  readonly maxLength: number;
  /** The operation's variables with their defaults. */
  readonly defaults: ReadonlyMap<string, ValueNode | undefined>;
}

/** Items of a connection without `first`, as kernel/connection gives them. */
export const USUAL_PAGE = 20;
/** Items taken for a list whose size the document does not say. */
export const USUAL_LIST = 10;
/** The same for the fields that answer everything at once and are known to grow. */
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
  'SearchFacet.items',
  'Vocabulary.tags',
]);
/** Arguments that say how long a list gets: by a number, or by being a list themselves. */
const SIZES = ['first', 'last', 'limit', 'rows', 'ids', 'representations'];

/** A size that is written down. */
export const known = (size: number): Size => ({ key: String(size), constant: size, of: () => size });

/** The length that a field's arguments ask for, directly or inside an input; null where none of them could say. */
export function sizeOf(
  asking: Asking,
  { arguments: given }: FieldNode,
  definition: GraphQLField<unknown, unknown>,
): Size | null {
  const argumentOf = (name: string) => given?.find((argument) => argument.name.value === name)?.value;
  const direct = definition.args.find(({ name }) => SIZES.includes(name));
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

/** `key`: where in a variable that is an object the size stands. */
function sizeFrom(
  { defaults, maxLength }: Asking,
  asked: { name: string; defaultValue?: unknown },
  value: ValueNode | undefined,
  key?: string,
): Size {
  const usual = lengthOf(asked.defaultValue) ?? (asked.name === 'limit' ? maxLength : USUAL_PAGE);
  if (value?.kind !== Kind.VARIABLE) return known((value && lengthOfLiteral(value)) ?? usual);
  const name = value.name.value;
  const byDefault = within(defaults.get(name), key);
  const otherwise = (byDefault && lengthOfLiteral(byDefault)) ?? usual;
  // What is given takes the place of the variable's default whole, also where it is null or leaves the size out.
  const lookUp: Size['of'] = (variables) => {
    const given = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (given === undefined) return otherwise;
    return lengthOf(key === undefined ? given : (given as Variables | null)?.[key]) ?? usual;
  };
  return { key: `$${name} ${key ?? ''} ${otherwise} ${usual}`, constant: null, of: lookUp };
}

/** The literal, or what it has under a key. */
function within(literal: ValueNode | undefined, key: string | undefined): ValueNode | undefined {
  if (key === undefined) return literal;
  return literal?.kind === Kind.OBJECT ? literal.fields.find(({ name }) => name.value === key)?.value : undefined;
}

const lengthOf = (value: unknown): number | null =>
  typeof value === 'number' ? value : Array.isArray(value) ? value.length : null;

const lengthOfLiteral = (value: ValueNode): number | null =>
  value.kind === Kind.INT ? Number(value.value) : value.kind === Kind.LIST ? value.values.length : null;
