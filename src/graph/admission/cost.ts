/**
 * Calculates nesting, fields, nodes and cost of an operation from its document, before it runs (docs/graphql.md has the arithmetic).
 * All are upper bounds: every type of a union or interface counts. Fields that `@include` or `@skip` excludes count for nesting and
 * fields, and do not count for nodes and cost.
 */
import {
  type DirectiveNode,
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
  type ValueNode,
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

/** Upper bounds for one run of an operation. */
export interface Amount {
  /**
   * The sum of its fields: 1 each, 20 for a JSON value, the weight in COSTLY, 0.04 for introspection, and 10 more for each root field.
   * Fields inside a list are multiplied by its size.
   */
  readonly cost: number;
  /** Objects in lists: the size of each list, multiplied by the sizes of the lists around it. Introspection does not count. */
  readonly nodes: number;
}

/** A connection whose page size the document or the variables set. */
export interface Page {
  /** Type and field, such as `Query.datasets`. */
  readonly field: string;
  readonly size: Size;
}

export interface Measured {
  /** Nesting of fields; a scalar at the root is 1. */
  readonly depth: number;
  /** Number of fields, with all fragments expanded and each list counted once. */
  readonly fields: number;
  /** Number of fields at the root. */
  readonly rootFields: number;
  /** Whether a response key is `__proto__`, which compiled operations lose. */
  readonly oddNames: boolean;
  readonly pages: readonly Page[];
  /** The part of a subscription's cost for its start. The rest is the cost of each event. */
  readonly beginning: number;
  amount(variables: Variables): Amount;
}

const ROOT_FIELD = 10;
/** A JSON value is an object of any size. A whole dataset has at least this many fields. */
const JSON_VALUE = 20;
/** Starting to follow the log costs as much as reading a page of it. */
const BEGIN_STREAM = 2_000;
/** Weights of fields that search, examine many rows, or call another server: the number of plain fields with about the same work. */
export const COSTLY: ReadonlyMap<string, number> = new Map([
  ['Query.datasetDocuments', 4_000],
  ['Query.datasetSearch', 4_000],
  ['Query.search', 4_000],
  ['DatasetSearchConnection.facets', 4_000],
  ['DatasetSearchConnection.dateHistogram', 4_000],
  ['DatasetSearchConnection.totalCount', 2_000],
  ['DatasetSearchEdge.highlights', 20],
  ['Query.changes', 2_000],
  ['Subscription.changes', BEGIN_STREAM],
  ['ChangeConnection.totalCount', 2_000],
  ['Query.markdownHtml', 1_000],
  ['Query.resourceSearch', 1_000],
  ['Query.resources', 1_000],
  ['Query.activities', 1_000],
  ['Query.tableQuery', 4_000],
  ['Query.statistics', 500],
  ['Statistics.edits', 100],
  ['Statistics.groups', 500],
  ['Statistics.qualityOrganizations', 500],
  ['QualitySummary.timeline', 500],
  ['Statistics.rows', 4_000],
  ['Query.tableSearch', 1_000],
  ['SearchFacet.values', 100],
  ['Table.aggregate', 100],
  ['TableGroupConnection.totalCount', 100],
  ['Query.timeline', 2_000],
  ['TimelineSeries.counts', 100],
  ['Site.usage', 500],
  ['Site.usageTop', 500],
  ['Site.emptySearches', 500],
  ['Group.datasetDocuments', 4_000],
  ['Organization.datasetDocuments', 4_000],
  ['Organization.usage', 500],
  ['UsageSeries.counts', 100],
  ['Mutation.pingWebhook', 4_000],
]);
/** The cost of each change that a stream examines, visible to its reader or not. The same as for a page of changes. */
export const LOOKED_THROUGH = 0.2;
/** Introspection reads from memory. Its lists are short, except the list of all types. */
const INTROSPECTION = { field: 0.04, list: 5 };
type Reckon = (variables: Variables) => Amount;
interface Part {
  readonly depth: number;
  readonly fields: number;
  readonly here: number;
  readonly odd: boolean;
  readonly fixed: Amount;
  readonly varying: readonly Reckon[];
}

interface Walk extends Asking {
  readonly schema: GraphQLSchema;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Caches each fragment by page size, so that nested fragments increase the cost but not the time to calculate it. */
  readonly measured: Map<string, Part>;
  /** By field node, so that a fragment measured twice adds its pages once. */
  readonly pages: Map<FieldNode, Page>;
}

/** Measures one operation of a valid document. `maxLength`: the size of a list without its `limit` argument (catalog.limits.rows). */
export function measure(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  maxLength: number,
): Measured {
  const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  const walk: Walk = {
    schema,
    maxLength,
    measured: new Map(),
    pages: new Map(),
    fragments: new Map(fragments.map((node) => [node.name.value, node])),
    defaults: new Map(operation.variableDefinitions?.map((node) => [node.variable.name.value, node.defaultValue])),
  };
  const part = selections(walk, operation.selectionSet, schema.getRootType(operation.operation)?.name ?? '', null);
  return {
    depth: part.depth,
    fields: part.fields,
    rootFields: part.here,
    oddNames: part.odd,
    pages: [...walk.pages.values()],
    beginning: part.here * (ROOT_FIELD + BEGIN_STREAM),
    amount(variables) {
      const { cost, nodes } = sum(part, variables);
      return { cost: Math.ceil(ROOT_FIELD * part.here + cost), nodes };
    },
  };
}

const sum = ({ fixed, varying }: Part, variables: Variables): Amount =>
  varying.reduce((total, reckon) => plus(total, reckon(variables)), fixed);
const plus = (a: Amount, b: Amount): Amount => ({ cost: a.cost + b.cost, nodes: a.nodes + b.nodes });
const NOTHING: Amount = { cost: 0, nodes: 0 };

/** `page`: the size of lists directly below, such as nodes and edges of a connection, or results of a search. */
function selections(walk: Walk, { selections: nodes }: SelectionSetNode, typeName: string, page: Size | null): Part {
  const parts = nodes.map((node) => {
    const part =
      node.kind === Kind.FIELD
        ? field(walk, node, typeName, page)
        : node.kind === Kind.FRAGMENT_SPREAD
          ? fragment(walk, node.name.value, page)
          : selections(walk, node.selectionSet, node.typeCondition?.name.value ?? typeName, page);
    return node.directives?.length ? whereIncluded(walk, node.directives, part) : part;
  });
  const total = (of: (part: Part) => number) => parts.reduce((before, part) => before + of(part), 0);
  return {
    depth: Math.max(0, ...parts.map((part) => part.depth)),
    fields: total((part) => part.fields),
    here: total((part) => part.here),
    odd: parts.some((part) => part.odd),
    fixed: parts.reduce((before, part) => plus(before, part.fixed), NOTHING),
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

/** Combines the amounts of a part into one function, which caches the result for the last variables. */
function summedOnce(part: Part): Part {
  if (part.varying.length === 0) return part;
  let previous: Variables | undefined;
  let answer = NOTHING;
  const reckon: Reckon = (variables) => {
    if (previous !== variables) answer = sum({ ...part, fixed: NOTHING }, variables);
    previous = variables;
    return answer;
  };
  return { ...part, varying: [reckon] };
}

/** A part that `@skip` or `@include` excludes adds no nodes and no cost. */
function whereIncluded({ defaults }: Walk, directives: readonly DirectiveNode[], part: Part): Part {
  const conditions = directives.flatMap(({ name, arguments: given }) => {
    const value = given?.find((argument) => argument.name.value === 'if')?.value;
    return value && ['include', 'skip'].includes(name.value) ? [{ value, isInclude: name.value === 'include' }] : [];
  });
  const isOut = (variables: Variables): boolean =>
    conditions.some(({ value, isInclude }) => flagOf(value, variables, defaults) === !isInclude);
  return { ...part, fixed: NOTHING, varying: [(variables) => (isOut(variables) ? NOTHING : sum(part, variables))] };
}

/** Undefined for an invalid flag. Running the operation returns the error. */
function flagOf(value: ValueNode | undefined, variables: Variables, defaults: Walk['defaults']): unknown {
  if (value?.kind === Kind.BOOLEAN) return value.value;
  if (value?.kind !== Kind.VARIABLE) return undefined;
  const name = value.name.value;
  return Object.hasOwn(variables, name) ? variables[name] : flagOf(defaults.get(name), {}, new Map());
}

function field(walk: Walk, node: FieldNode, typeName: string, page: Size | null): Part {
  const odd = (node.alias ?? node.name).value === '__proto__';
  const definition = definitionOf(walk.schema, typeName, node.name.value);
  const type = definition ? getNamedType(definition.type).name : '';
  const one: Amount = { cost: weightOf(typeName, node.name.value, type), nodes: 0 };
  const isList = definition !== undefined && isListType(getNullableType(definition.type));
  if (!definition || !node.selectionSet) {
    // A list of JSON values in a page, such as the records of a table, has the size of the page. Other lists of scalars are short.
    const varying: Reckon[] =
      isList && page && type === 'JSON'
        ? [(variables) => ({ cost: one.cost * Math.max(0, page.of(variables)), nodes: 0 })]
        : [];
    return { depth: 1, fields: 1, here: 1, odd, fixed: varying.length > 0 ? NOTHING : one, varying };
  }
  const size = sizeOf(walk, node, definition);
  const isConnection = !isList && type.endsWith('Connection');
  if (isConnection && size) walk.pages.set(node, { field: `${typeName}.${node.name.value}`, size });
  const below = selections(
    walk,
    node.selectionSet,
    type,
    isList ? null : (size ?? (isConnection ? known(USUAL_PAGE) : null)),
  );
  const part = { depth: below.depth + 1, fields: below.fields + 1, here: 1, odd: odd || below.odd };
  if (!isList) return { ...part, fixed: plus(below.fixed, one), varying: below.varying };
  const times = size ?? page ?? known(usualSize(walk.schema, typeName, node.name.value));
  const isNode = typeName.startsWith('__') ? 0 : 1;
  const repeated = (length: number, item: Amount): Amount => {
    const count = Math.max(0, length);
    return { cost: count * item.cost, nodes: count * (item.nodes + isNode) };
  };
  if (times.constant !== null && below.varying.length === 0)
    return { ...part, fixed: plus(one, repeated(times.constant, below.fixed)), varying: [] };
  return { ...part, fixed: one, varying: [(variables) => repeated(times.of(variables), sum(below, variables))] };
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
