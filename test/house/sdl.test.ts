/** The schema is the reference manual: all of it is described and named by the same conventions. */
import { describe, expect, it } from '@jest/globals';
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql';
import { schema } from '../../src/graph/schema.ts';

const types = Object.values(schema.getTypeMap()).filter(
  (type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type),
);
const objects = types.filter(isObjectType);
const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});

const said = (text: string | null | undefined): boolean => (text ?? '').trim().length > 0;

/** Elements of a type without a description. Fields inherit that of their interface, and the argument `input` that of its type. */
function undescribed(type: GraphQLNamedType): string[] {
  const places: string[] = said(type.description) ? [] : [type.name];
  if (isEnumType(type))
    places.push(
      ...type
        .getValues()
        .filter((value) => !said(value.description))
        .map((value) => `${type.name}.${value.name}`),
    );
  if (isInputObjectType(type))
    places.push(
      ...Object.values(type.getFields())
        .filter((field) => !said(field.description))
        .map((field) => `${type.name}.${field.name}`),
    );
  if (!isObjectType(type) && !isInterfaceType(type)) return places;
  for (const field of Object.values(type.getFields())) {
    const inherited = type.getInterfaces().map((parent) => parent.getFields()[field.name]);
    if (![field, ...inherited].some((it) => said(it?.description))) places.push(`${type.name}.${field.name}`);
    for (const arg of field.args.filter(({ name }) => name !== 'input')) {
      const same = inherited.map((it) => it?.args.find(({ name }) => name === arg.name));
      if (![arg, ...same].some((it) => said(it?.description))) places.push(`${type.name}.${field.name}(${arg.name})`);
    }
  }
  return places;
}

describe('everything is described', () => {
  it.each(types.map((type) => [type.name, type] as const))('%s', (_name, type) => {
    expect(undescribed(type)).toEqual([]);
  });
});

describe('names', () => {
  const PASCAL = /^[A-Z][A-Za-z0-9]*$/;
  const CAMEL = /^[a-z][A-Za-z0-9]*$/;
  /** Names required by federation routers. */
  const FEDERATION = ['_Service', '_Any', '_Entity', '_service', '_entities'];
  const CAPITALS = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/;

  it('are Pascal for types, camel for fields and arguments, capitals for enum values', () => {
    const odd = types.flatMap((type) => [
      ...(PASCAL.test(type.name) ? [] : [type.name]),
      ...(isEnumType(type)
        ? type
            .getValues()
            .map(({ name }) => name)
            .filter((name) => !CAPITALS.test(name))
        : []),
      ...(isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
        ? Object.values(type.getFields())
            .flatMap((field) => [
              field.name,
              ...('args' in field ? (field.args as { name: string }[]).map(({ name }) => name) : []),
            ])
            .filter((name) => !CAMEL.test(name))
        : []),
    ]);
    expect(odd.filter((name) => !FEDERATION.includes(name))).toEqual([]);
  });

  it('say dataset instead of package', () => {
    const all = types.flatMap((type) => [
      type.name,
      ...(isObjectType(type) || isInputObjectType(type) || isInterfaceType(type) ? Object.keys(type.getFields()) : []),
    ]);
    expect(all.filter((name) => /package/i.test(name))).toEqual([]);
  });
});

describe('mutations', () => {
  it.each(mutations.map((field) => [field.name, field] as const))(
    '%s takes one input and returns its own payload',
    (name, field) => {
      const Name = name[0]!.toUpperCase() + name.slice(1);
      expect(field.args.map((arg) => `${arg.name}: ${arg.type}`)).toEqual([`input: ${Name}Input!`]);
      expect(String(field.type)).toBe(`${Name}Payload!`);
      const payload = getNamedType(field.type) as GraphQLObjectType;
      const { errors, ...rest } = payload.getFields();
      expect(String(errors?.type)).toBe('[MutationError!]!');
      expect(Object.keys(rest).length).toBeGreaterThan(0);
      expect(
        Object.values(rest)
          .filter((it) => isNonNullType(it.type))
          .map((it) => it.name),
      ).toEqual([]);
    },
  );

  it('use each payload type exactly once', () => {
    const payloads = objects.filter(({ name }) => name.endsWith('Payload')).map(({ name }) => name);
    expect(payloads.sort()).toEqual(mutations.map((field) => getNamedType(field.type).name).sort());
  });
});

describe('connections', () => {
  it.each(objects.filter(({ name }) => name.endsWith('Connection')).map((type) => [type.name, type] as const))(
    '%s has nodes, edges, pageInfo and totalCount',
    (name, type) => {
      const fields = type.getFields();
      const item = String(getNamedType(fields.nodes!.type));
      expect(fields).toMatchObject({ nodes: {}, edges: {}, pageInfo: {}, totalCount: {} });
      expect(String(fields.pageInfo?.type)).toBe('PageInfo!');
      // Nullable if the count itself can be refused (see "a field that can fail alone" below).
      expect(String(getNullableType(fields.totalCount!.type))).toBe('Int');
      const edge = getNamedType(fields.edges!.type) as GraphQLObjectType;
      expect(edge.name).toBe(name.replace(/Connection$/, 'Edge'));
      expect(String(getNullableType(edge.getFields().node!.type))).toBe(item);
      expect(String(edge.getFields().cursor?.type)).toBe('String!');
    },
  );

  it('take `first` and `after`', () => {
    const fields = objects.flatMap((type) =>
      Object.values(type.getFields()).map((field) => ({ place: `${type.name}.${field.name}`, field })),
    );
    const odd = fields
      .filter(({ field }) => getNamedType(field.type).name.endsWith('Connection'))
      .filter(
        ({ field }) =>
          !['first: Int', 'after: String'].every((arg) => field.args.some((it) => `${it.name}: ${it.type}` === arg)),
      );
    expect(odd.map(({ place }) => place)).toEqual([]);
  });
});

describe('descriptions', () => {
  const all = objects
    .filter(({ name }) => name !== '_Service')
    .flatMap((type) =>
      Object.values(type.getFields()).map((field) => {
        const inherited = type.getInterfaces().map((parent) => parent.getFields()[field.name]?.description ?? '');
        const args = field.args.map(({ description }) => description ?? '');
        return { type, field, text: [field.description ?? '', ...inherited, ...args].join(' ') };
      }),
    );
  const places = (some: typeof all) => some.map(({ type, field }) => `${type.name}.${field.name}`);

  it('list the errors of fields of Query and Mutation', () => {
    const roots = all.filter(({ type }) => ['Query', 'Mutation'].includes(type.name));
    expect(places(roots.filter(({ text }) => !/Errors:\s/.test(text)))).toEqual([]);
  });

  it('explain null for nullable fields', () => {
    const isOnlyByError = ({ field }: (typeof all)[number]) =>
      field.astNode?.directives?.some(({ name }) => name.value === 'semanticNonNull');
    const nullable = all.filter(
      (it) => !isNonNullType(it.field.type) && !isOnlyByError(it) && !/^(Query|Mutation)$/.test(it.type.name),
    );
    expect(places(nullable.filter(({ text }) => !/\bnull\b/i.test(text)))).toEqual([]);
  });

  it('state the page limit and errors of connections', () => {
    const connections = all.filter(({ field }) => getNamedType(field.type).name.endsWith('Connection'));
    expect(places(connections.filter(({ text }) => !/LIMIT/.test(text) || !/VALIDATION/.test(text)))).toEqual([]);
    expect(places(connections.filter(({ text }) => !text.includes('`catalog.limits.graphql_page` (100)')))).toEqual([]);
  });
});

/** docs/graphql.md, "Partial results". */
describe('a field that can fail alone', () => {
  /** Root fields that read only memory and refuse nothing, or whose type another specification requires. */
  const NON_NULL: Readonly<Record<string, string>> = {
    _entities: 'Apollo Federation requires [_Entity]!',
    _service: 'Apollo Federation requires _Service!',
    licenses: 'constant',
    memberRoles: 'constant',
    resourceViewTypes: 'settings, read at start',
    site: 'settings, read at start',
  };
  /** Nullable root fields that are null without an error. Their description explains it. */
  const NULL_AS_VALUE = ['node', 'passwordReset', 'viewer'];
  const isNeverNull = ({ astNode }: GraphQLField<unknown, unknown>): boolean =>
    astNode?.directives?.some(({ name }) => name.value === 'semanticNonNull') ?? false;
  const queries = Object.values(schema.getQueryType()?.getFields() ?? {});

  it('is nullable at the root, except the listed ones', () => {
    expect(
      queries
        .filter((field) => isNonNullType(field.type))
        .map(({ name }) => name)
        .sort(),
    ).toEqual(Object.keys(NON_NULL));
  });

  it('is null only with an error, except the listed ones, which explain null', () => {
    const nullable = queries.filter((field) => !isNonNullType(field.type));
    const asValue = nullable.filter((field) => !isNeverNull(field));
    expect(asValue.map(({ name }) => name).sort()).toEqual(NULL_AS_VALUE);
    expect(asValue.filter(({ description }) => !/\bnull\b/i.test(description ?? ''))).toEqual([]);
  });

  it('is nullable below the root too, unless its only errors are refused pages', () => {
    const PAGES = /Errors: (LIMIT, VALIDATION \(cursor(, conditions)?\)|none)\./;
    const below = objects
      .filter(({ name }) => !['Query', 'Mutation', 'Subscription'].includes(name))
      .flatMap((type) =>
        Object.values(type.getFields()).map((field) => ({ place: `${type.name}.${field.name}`, field })),
      )
      .filter(({ field: { description } }) => description?.includes('Errors:'))
      .filter(({ field: { description } }) => !PAGES.test(description!.replace(/\s+/g, ' ')));
    expect(below.length).toBeGreaterThan(3);
    expect(below.filter(({ field }) => isNonNullType(field.type)).map(({ place }) => place)).toEqual([]);
  });
});

describe('nodes', () => {
  it('have a global id', () => {
    const odd = objects
      .filter((type) => type.getInterfaces().some(({ name }) => name === 'Node'))
      .filter((type) => String(type.getFields().id?.type) !== 'ID!');
    expect(odd.map(({ name }) => name)).toEqual([]);
  });
});

it('has lists with non-null items, except `nodes` and `_entities`', () => {
  const odd = objects.flatMap((type) =>
    Object.values(type.getFields())
      .filter((field) => {
        const list = getNullableType(field.type);
        return isListType(list) && !isNonNullType(list.ofType);
      })
      .map((field) => `${type.name}.${field.name}`),
  );
  expect(odd).toEqual(['Query._entities', 'Query.nodes']);
});

it('has only unions of several types', () => {
  expect(
    types
      .filter(isUnionType)
      .filter((type) => type.getTypes().length < 2)
      .map(({ name }) => name),
  ).toEqual([]);
});
