/** Queries of graph fields: every argument with all its candidate values, and selections that reach connected objects. */
import {
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  OverlappingFieldsCanBeMergedRule,
  parse,
  validate,
} from 'graphql';
import { publicSchema, schema } from '../../src/graph/schema.ts';
import { toGlobalId } from '../../src/kernel/ids.ts';

export type Field = GraphQLField<unknown, unknown>;
export type Question = Readonly<Record<string, unknown>>;

/** Values for the arguments of questions. */
export interface Named {
  /** Names and ids. */
  readonly names: readonly string[];
  /** Types whose global ids are requested. */
  readonly types: readonly string[];
  /** Texts to search for. */
  readonly words: readonly string[];
  /** Fields whose values are counted. */
  readonly facets: readonly string[];
}

/** Names of arguments that are search texts, and of arguments that are omitted, since they only return more of the same. */
const WORDS = /^(text|query|q|startsWith|words|filters|terms|sort)$/;
const LEFT_OUT = /^(after|before|wait)$/;
/** Values in one list. */
const MAX_LENGTH = 50;

/** Whether a field reads one object by exactly one of several arguments. */
export const isLookUp = (field: Field): boolean =>
  field.args.some(({ name }) => name === 'databaseId') && !field.args.some(isRequiredArgument);

/** The arguments of a look-up that name its object. */
const NAMING = /^(id|name|alias|url|databaseId)$/;

/** Questions to a field: each required enumeration in all its values, each combined with one other argument at a time. */
export function questionsOf(field: Field, named: Named): Question[] {
  const valuesOf = ({ type, name }: { type: GraphQLInputType; name: string }) => values(type, name, named);
  if (isLookUp(field)) {
    const naming = field.args.filter(({ name }) => NAMING.test(name));
    const [base] = naming.map((arg) => ({ [arg.name]: valuesOf(arg)[0] }));
    return [
      ...naming.flatMap((arg) => valuesOf(arg).map((value) => ({ [arg.name]: value }))),
      ...field.args
        .filter((arg) => !naming.includes(arg))
        .flatMap((arg) => valuesOf(arg).map((value) => ({ ...base, [arg.name]: value }))),
    ];
  }
  const required = field.args.filter(isRequiredArgument);
  const enums = required.filter(({ type }) => isEnumType(getNullableType(type)));
  const bases = enums.reduce<Question[]>(
    (before, arg) => before.flatMap((base) => valuesOf(arg).map((value) => ({ ...base, [arg.name]: value }))),
    [Object.fromEntries(required.map((arg) => [arg.name, valuesOf(arg)[0]]))],
  );
  const all = field.args.filter(({ name }) => name.startsWith('include')).map(({ name }) => [name, true]);
  return bases.flatMap((base) => [
    base,
    { ...base, ...Object.fromEntries(all) },
    ...field.args.flatMap((arg) => valuesOf(arg).map((value) => ({ ...base, [arg.name]: value }))),
  ]);
}

function values(type: GraphQLInputType, name: string, named: Named): unknown[] {
  const inner = getNullableType(type);
  if (isListType(inner)) {
    const items = values(inner.ofType, name, named);
    return items.length > MAX_LENGTH ? chunks(items, MAX_LENGTH) : items.map((item) => [item]);
  }
  if (isEnumType(inner)) return inner.getValues().flatMap((value) => (value.name === 'OTHER' ? [] : [value.name])); // OTHER is an output only
  if (isInputObjectType(inner)) return inputs(Object.values(inner.getFields()), named);
  const global = (types: readonly string[]) => types.flatMap((it) => named.names.map((id) => [it, toGlobalId(it, id)]));
  switch (inner.name) {
    case 'String':
      if (LEFT_OUT.test(name)) return [];
      if (name === 'sql') return named.names.map((table) => `SELECT * FROM "${table}"`);
      return [...(WORDS.test(name) ? named.words : name === 'facetFields' ? named.facets : named.names)];
    case 'ID':
      // The full schema takes names; `world.graph` writes the global ids of these.
      return [...named.names, ...global(named.types).map(([, id]) => id)];
    case '_Any':
      return global(named.types).map(([__typename, id]) => ({ __typename, id }));
    case 'Boolean':
      return [true];
    case 'Int':
      return LEFT_OUT.test(name) ? [] : [50];
    case 'DateTime':
      return ['2000-01-01T00:00:00Z', '2100-01-01T00:00:00Z'];
    default:
      return [];
  }
}

function inputs(fields: readonly GraphQLInputField[], named: Named): Question[] {
  const base = Object.fromEntries(
    fields.filter(isRequiredInputField).map((field) => [field.name, values(field.type, field.name, named)[0]]),
  );
  return fields.flatMap((field) =>
    values(field.type, field.name, named).map((value) => ({ ...base, [field.name]: value })),
  );
}

/** Selections of a type without arguments: its leaves, then one path after the other, up to `depth` steps. */
export function selectionsOf(type: GraphQLNamedType, depth: number): string[] {
  if (isLeafType(type)) return [''];
  if (isAbstractType(type))
    return (publicSchema.getType(type.name) === type ? publicSchema : schema)
      .getPossibleTypes(type)
      .flatMap((one) => selectionsOf(one, depth).map((text) => ` { __typename ... on ${one.name}${text} }`));
  if (!isObjectType(type)) return [];
  const fields = Object.values(type.getFields()).filter(
    (field) => !field.args.some(isRequiredArgument) && !isLookUp(field),
  );
  const isLeaf = (field: Field) => isLeafType(getNamedType(field.type));
  const own = fields.filter(isLeaf).map(({ name }) => name);
  const ways = depth === 0 ? [] : fields.filter((field) => !isLeaf(field));
  return [
    ` { __typename ${own.join(' ')} }`,
    ...ways.flatMap((way) => selectionsOf(getNamedType(way.type), depth - 1).map((text) => ` { ${way.name}${text} }`)),
  ];
}

/** Maximum number of tokens of one selection, to leave space for questions in the document. */
const MAX_TOKENS = 1_200;
export const tokensOf = (text: string): number => text.match(/\w+|\.\.\.|[^\s\w]/g)?.length ?? 0;

/** Several selections merged into one, and its parts. */
export interface Pack {
  readonly whole: string;
  readonly parts: readonly string[];
}

/**
 * Merges selections of a type up to the maximum size, so that one run of a question answers many of them. Selections that GraphQL cannot
 * merge, because fields of one name have several types, stay separate.
 */
export function packed(type: GraphQLNamedType, selections: readonly string[]): Pack[] {
  const packs: Pack[] = [];
  for (const selection of selections) {
    const last = packs.at(-1);
    const whole = last && `${last.whole.trimEnd().slice(0, -1)}${selection.trim().slice(1)}`;
    if (whole && tokensOf(whole) <= MAX_TOKENS && isMergeable(type, whole))
      packs[packs.length - 1] = { whole, parts: [...last.parts, selection] };
    else packs.push({ whole: selection, parts: [selection] });
  }
  return packs;
}

function isMergeable(type: GraphQLNamedType, selection: string): boolean {
  const document = parse(`fragment Whole on ${type.name}${selection}`);
  const of = publicSchema.getType(type.name) === type ? publicSchema : schema;
  return validate(of, document, [OverlappingFieldsCanBeMergedRule]).length === 0;
}

/** Many questions as one operation; the answer to the n-th is called `q<n>`. */
export function asked(field: Field, questions: readonly Question[], selection: string) {
  const typeOf = (name: string) => field.args.find((arg) => arg.name === name)!.type;
  const given = questions.flatMap((question, at) =>
    Object.keys(question).map((name) => `$${name}${at}: ${typeOf(name)}`),
  );
  const fields = questions.map((question, at) => {
    const passed = Object.keys(question).map((name) => `${name}: $${name}${at}`);
    return `q${at}: ${field.name}${passed.length > 0 ? `(${passed.join(', ')})` : ''}${selection && ' { ...Whole }'}`;
  });
  const fragment = selection && ` fragment Whole on ${getNamedType(field.type).name}${selection}`;
  const variables = questions.flatMap((question, at) =>
    Object.entries(question).map(([name, value]) => [`${name}${at}`, value]),
  );
  return {
    query: `query ${given.length > 0 ? `(${given.join(', ')})` : ''} { ${fields.join(' ')} }${fragment}`,
    variables: Object.fromEntries(variables) as Record<string, unknown>,
  };
}

export const chunks = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size));
