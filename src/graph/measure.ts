/**
 * How big an operation is, read off its document before anything runs: nesting, fields, and cost.
 * All are upper bounds: directives are not looked at, and every type of a union or interface counts.
 */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql';
import {
  type Asking,
  known,
  LONG_LIST,
  LONG_LISTS,
  type Size,
  sizeOf,
  USUAL_LIST,
  USUAL_PAGE,
  type Variables,
} from './list-size.ts';

export interface Measured {
  /** Nesting of fields; a scalar at the root is 1. */
  readonly depth: number;
  /** Fields with every fragment unfolded and lists counted once. */
  readonly fields: number;
  /** The same, at the root only. */
  readonly rootFields: number;
  /** Whether a field's name in the answer is `__proto__`, which compiled operations cannot build. */
  readonly oddNames: boolean;
  /** Each field 1, a JSON value 20, what searches as COSTLY says, each root field 10 more, introspection a tenth; what stands below a list counts as often as the list has items. */
  cost(variables: Variables): number;
}

const ROOT_FIELD = 10;
/** A JSON value is an object of any size: a dataset as a whole has that many fields and more. */
const JSON_VALUE = 20;
/** Fields that search by themselves, each time they stand there: about as much work as so many fields. */
export const COSTLY: ReadonlyMap<string, number> = new Map([
  ['Query.datasetSearch', 4_000],
  ['Query.search', 4_000],
  ['DatasetSearchConnection.facets', 4_000],
  ['DatasetSearchConnection.totalCount', 2_000],
  ['DatasetSearchEdge.highlights', 20],
  ['Query.resourceSearch', 1_000],
]);
/** The graph's description of itself is read from memory; its lists are short, but for that of all types. */
const INTROSPECTION = { field: 0.1, list: 5 };
type Cost = (variables: Variables) => number;
interface Part {
  readonly depth: number;
  readonly fields: number;
  readonly here: number;
  readonly odd: boolean;
  readonly fixed: number;
  readonly varying: readonly Cost[];
}

interface Walk extends Asking {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Each fragment is measured once per page size: nesting fragments in each other grows the numbers, not the work. */
  readonly measured: Map<string, Part>;
}

/** Measures one valid operation of a valid document. `longest` is what a list holds whose `limit` is left out (catalog.limits.rows). */
export function measure(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  longest: number,
): Measured {
  const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  const walk: Walk = {
    schema,
    longest,
    measured: new Map(),
    fragments: new Map(fragments.map((node) => [node.name.value, node])),
    defaults: new Map(operation.variableDefinitions?.map((node) => [node.variable.name.value, node.defaultValue])),
  };
  const part = selections(walk, operation.selectionSet, schema.getRootType(operation.operation)?.name ?? '', null);
  return {
    depth: part.depth,
    fields: part.fields,
    rootFields: part.here,
    oddNames: part.odd,
    cost: (variables) => Math.ceil(ROOT_FIELD * part.here + sum(part, variables)),
  };
}

const sum = ({ fixed, varying }: Part, variables: Variables): number =>
  varying.reduce((total, cost) => total + cost(variables), fixed);

/** `page` is what lists directly below hold: nodes and edges of a connection, results of a search. */
function selections(walk: Walk, { selections: nodes }: SelectionSetNode, typeName: string, page: Size | null): Part {
  const parts = nodes.map((node) => {
    if (node.kind === Kind.FIELD) return field(walk, node, typeName, page);
    if (node.kind === Kind.FRAGMENT_SPREAD) return fragment(walk, node.name.value, page);
    return selections(walk, node.selectionSet, node.typeCondition?.name.value ?? typeName, page);
  });
  const total = (of: (part: Part) => number) => parts.reduce((before, part) => before + of(part), 0);
  return {
    depth: Math.max(0, ...parts.map((part) => part.depth)),
    fields: total((part) => part.fields),
    here: total((part) => part.here),
    odd: parts.some((part) => part.odd),
    fixed: total((part) => part.fixed),
    varying: parts.flatMap((part) => part.varying),
  };
}

function fragment(walk: Walk, name: string, page: Size | null): Part {
  const key = `${name} ${page?.key ?? ''}`;
  const known = walk.measured.get(key);
  if (known) return known;
  const { selectionSet, typeCondition } = walk.fragments.get(name)!;
  const part = summedOnce(selections(walk, selectionSet, typeCondition.name.value, page));
  walk.measured.set(key, part);
  return part;
}

/** One cost for all of a part's, remembered for the variables last asked about. */
function summedOnce(part: Part): Part {
  if (part.varying.length === 0) return part;
  let asked: Variables | undefined;
  let answer = 0;
  const cost: Cost = (variables) => {
    if (asked !== variables) answer = sum({ ...part, fixed: 0 }, variables);
    asked = variables;
    return answer;
  };
  return { ...part, varying: [cost] };
}

function field(walk: Walk, node: FieldNode, typeName: string, page: Size | null): Part {
  const odd = (node.alias ?? node.name).value === '__proto__';
  const definition = definitionOf(walk.schema, typeName, node.name.value);
  const type = definition ? getNamedType(definition.type).name : '';
  const one = weightOf(typeName, node.name.value, type);
  if (!definition || !node.selectionSet) return { depth: 1, fields: 1, here: 1, odd, fixed: one, varying: [] };
  const size = sizeOf(walk, node, definition);
  const isList = isListType(getNullableType(definition.type));
  const below = selections(
    walk,
    node.selectionSet,
    type,
    isList ? null : (size ?? (type.endsWith('Connection') ? known(USUAL_PAGE) : null)),
  );
  const part = { depth: below.depth + 1, fields: below.fields + 1, here: 1, odd: odd || below.odd };
  if (!isList) return { ...part, fixed: below.fixed + one, varying: below.varying };
  const times = size ?? page ?? known(usualSize(walk.schema, typeName, node.name.value));
  if (times.constant !== null && below.varying.length === 0)
    return { ...part, fixed: one + times.constant * below.fixed, varying: [] };
  return { ...part, fixed: one, varying: [(variables) => times.of(variables) * sum(below, variables)] };
}

function weightOf(typeName: string, name: string, type: string): number {
  if (typeName.startsWith('__')) return INTROSPECTION.field;
  return COSTLY.get(`${typeName}.${name}`) ?? (type === 'JSON' ? JSON_VALUE : 1);
}

function usualSize(schema: GraphQLSchema, typeName: string, name: string): number {
  if (!typeName.startsWith('__')) return LONG_LISTS.has(`${typeName}.${name}`) ? LONG_LIST : USUAL_LIST;
  return name === 'types' ? Object.keys(schema.getTypeMap()).length : INTROSPECTION.list;
}

function definitionOf(
  schema: GraphQLSchema,
  typeName: string,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
  if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
  const type = schema.getType(typeName);
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined;
}
