/** The public schema has one way to do each thing. Elements only for the facades are marked, used, and not public. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import {
  buildSchema,
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLType,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  Kind,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { contractElements } from '../../scripts/public-schema.mjs';
import { filesBelow } from '../../scripts/stamp.mjs';
import { publicSchema, schema } from '../../src/graph/schema.ts';
import { typeDefs } from '../../src/graph/type-defs.ts';
import { projectRoot } from '../../src/kernel/root.ts';

/** Query fields that autocomplete offers. */
const MAX_QUERIES = 55;

const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');
const elements = contractElements(parse([...typeDefs.values()].join('\n')));
const paths = elements.map(({ path }) => path);

const isJson = (type: GraphQLType): boolean => getNamedType(type).name === 'JSON';
const argumentsOf = (field: object) => ('args' in field ? (field.args as readonly GraphQLArgument[]) : []);

/** Values of the type JSON, whose content belongs to the caller or the site. Known shapes have types. */
const OWN_CONTENT: Readonly<Record<string, readonly string[]>> = {
  'fields that the site declares for its dataset types': [
    'CreateDatasetInput.fields',
    'Dataset.fields',
    'DatasetSchema.schema',
    'ReplaceDatasetInput.fields',
    'UpdateDatasetInput.fields',
  ],
  'values of any field, before and after a change': ['FieldChange.after', 'FieldChange.before'],
  'extra keys of resources': ['Resource.extras', 'ResourceInput.extras'],
  'data that an external program wrote': ['Activity.data'],
  'settings of views, which plugins declare': [
    'CreateResourceViewInput.config',
    'CreateResourceViewInput.fields',
    'ResourceView.config',
    'ResourceView.fields',
    'UpdateResourceViewInput.config',
    'UpdateResourceViewInput.fields',
  ],
  'values of settings: texts, numbers, lists': ['Setting.value', 'SiteOption.value'],
  'rows, cells and data dictionaries of tables': [
    'CreateTableInput.records',
    'TableConditionInput.eq',
    'TableConditionInput.gt',
    'TableConditionInput.gte',
    'TableConditionInput.in',
    'TableConditionInput.lt',
    'TableConditionInput.lte',
    'TableField.info',
    'TableFieldInput.info',
    'TableHavingInput.eq',
    'TableHavingInput.gt',
    'TableHavingInput.gte',
    'TableHavingInput.lt',
    'TableHavingInput.lte',
    'TableQueryResult.records',
    'TableRecordConnection.nodes',
    'TableRecordEdge.node',
    'WriteRecordsInput.records',
  ],
};

/** `Type`, `Type.field`, `Type.VALUE` and `Type.field(argument)` of a schema. */
function placesOf(of: typeof schema): string[] {
  return Object.values(of.getTypeMap()).flatMap((type) => {
    const fields = isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? type.getFields() : {};
    return [
      type.name,
      ...Object.values(fields).flatMap((field) => [
        `${type.name}.${field.name}`,
        ...argumentsOf(field).map(({ name }) => `${type.name}.${field.name}(${name})`),
      ]),
    ];
  });
}

it('has few query fields', () => {
  expect(Object.keys(publicSchema.getQueryType()!.getFields()).length).toBeLessThanOrEqual(MAX_QUERIES);
});

it('equals schema.graphql, without the marked elements', () => {
  const places = placesOf(buildSchema(read('schema.graphql')));
  expect(places.filter((place) => paths.includes(place))).toEqual([]);
  expect(placesOf(publicSchema).sort()).toEqual(places.sort());
  expect(paths.length).toBeGreaterThan(30);
});

it('has every unmarked element that another one uses', () => {
  const inPublic = new Set(placesOf(publicSchema));
  const lost = placesOf(schema).filter((place) => !inPublic.has(place) && !paths.includes(place));
  const types = new Set(Object.keys(publicSchema.getTypeMap()));
  expect(
    lost.filter((place) => types.has(place.split('.')[0]!) && !paths.some((path) => place.startsWith(`${path}(`))),
  ).toEqual([]);
});

it('links the specifications of scalars', () => {
  for (const name of ['DateTime', 'JSON', 'Long', 'URL'])
    expect([name, publicSchema.toConfig().types.find((type) => type.name === name)]).toMatchObject([
      name,
      { specifiedByURL: expect.stringContaining('https://') },
    ]);
});

it('uses JSON only for content of the caller or the site', () => {
  const found = Object.values(publicSchema.getTypeMap()).flatMap((type) => {
    if (type.name.startsWith('__')) return [];
    const fields = isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? type.getFields() : {};
    return Object.values(fields).flatMap((field) => [
      ...(isJson(field.type) ? [`${type.name}.${field.name}`] : []),
      ...argumentsOf(field).flatMap((arg) => (isJson(arg.type) ? [`${type.name}.${field.name}(${arg.name})`] : [])),
    ]);
  });
  expect(found.sort()).toEqual(Object.values(OWN_CONTENT).flat().sort());
});

it('omits only elements that a facade uses', () => {
  const used = usedPlaces();
  expect(paths.filter((path) => path.includes('.') && !used.has(path))).toEqual([]);
});

it('documents each omitted element with its reason', () => {
  const page = read('docs/contract.md');
  for (const { path, reason } of elements) {
    expect(page).toContain(`\`${path}\``);
    expect([path, reason]).toEqual([path, expect.stringMatching(/^[A-Z].{8,110}$/)]);
  }
});

/** Elements that operations of facades, commands and records use. Inputs count as a whole, because they are passed as variables. */
function usedPlaces(): Set<string> {
  const files = ['facades', 'src/cli', 'src/records'].flatMap((folder) =>
    filesBelow(folder, (name) => name.endsWith('.graphql')),
  );
  const document: DocumentNode = parse(files.map(read).join('\n'));
  const used = new Set<string>();
  const info = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(info, {
      [Kind.FIELD]: () => {
        const [parent, field] = [info.getParentType(), info.getFieldDef()];
        if (!parent || !field) return;
        const owners = [parent, ...(isInterfaceType(parent) ? schema.getPossibleTypes(parent) : [])];
        for (const { name } of owners) used.add(`${name}.${field.name}`);
        for (const arg of field.args) addInput(arg.type, used);
      },
      [Kind.ARGUMENT]: () => {
        used.add(`${info.getParentType()?.name}.${info.getFieldDef()?.name}(${info.getArgument()?.name})`);
      },
    }),
  );
  return used;
}

function addInput(type: Parameters<typeof getNamedType>[0], used: Set<string>): void {
  const named = getNamedType(type);
  if (!isInputObjectType(named) || used.has(named.name)) return;
  used.add(named.name);
  for (const field of Object.values(named.getFields())) {
    used.add(`${named.name}.${field.name}`);
    addInput(field.type, used);
  }
}
