/** The schema as one file (schema.graphql) and as a page to read (docs/graph.md). Written by scripts/generate.mjs. */
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';

/** The whole schema in SDL, in alphabetical order: a change of it is easy to read in a diff. */
export const schemaFile = (schema) =>
  `# The graph of the catalog, generated from schema/ by scripts/generate.mjs. docs/graph.md is the same schema as a page.\n\n${printSchema(lexicographicSortSchema(schema))}\n`;

const KINDS = [
  ['Objects', isObjectType],
  ['Interfaces', isInterfaceType],
  ['Unions', isUnionType],
  ['Inputs', isInputObjectType],
  ['Enumerations', isEnumType],
  ['Scalars', isScalarType],
];
const ROOTS = [
  ['Queries', 'getQueryType'],
  ['Mutations', 'getMutationType'],
  ['Subscriptions', 'getSubscriptionType'],
];

/** A page with every field and type, and what is said of them. */
export function referencePage(schema) {
  const sorted = lexicographicSortSchema(schema);
  const roots = ROOTS.map(([title, get]) => [title, sorted[get]()]).filter(([, type]) => type);
  const rootNames = new Set(roots.map(([, type]) => type.name));
  const types = Object.values(sorted.getTypeMap()).filter(
    (type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type) && !rootNames.has(type.name),
  );
  const parts = [
    '# The graph, field by field',
    'Generated from the schema. [graphql.md](graphql.md) describes requests and their cost. The same schema as SDL: [schema.graphql](../schema.graphql).',
    'A `!` means never null or, for arguments and inputs, required. Connections (`…Connection`) have `nodes`, `edges` with cursors, and `pageInfo`.',
    ...roots.flatMap(([title, type]) => [
      `## ${title}`,
      ...Object.values(type.getFields()).map((field) => rootField(type, field)),
    ]),
    ...KINDS.flatMap(([title, is]) => {
      const found = types.filter(is);
      return found.length > 0 ? [`## ${title}`, ...found.map(typePart)] : [];
    }),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** Its heading has the type's name in it: there is a type `Dataset` too. */
function rootField(type, field) {
  const rows = field.args.map((arg) => [`\`${arg.name}\``, argumentType(arg), cell(arg.description)]);
  return [
    `### ${type.name}.${field.name}`,
    `Returns ${typeOf(field.type)}.`,
    text(field.description),
    table(['Argument', 'Type', 'Meaning'], rows),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function typePart(type) {
  const parts = [`### ${type.name}`, text(type.description)];
  if (type.getInterfaces?.().length > 0) parts.push(`Is a ${type.getInterfaces().map(linked).join(', ')}.`);
  if (isUnionType(type)) parts.push(`One of ${type.getTypes().map(linked).join(', ')}.`);
  if (isEnumType(type))
    parts.push(
      table(
        ['Value', 'Meaning'],
        type.getValues().map((value) => [`\`${value.name}\``, cell(value.description)]),
      ),
    );
  if (isInputObjectType(type))
    parts.push(
      table(
        ['Field', 'Type', 'Meaning'],
        Object.values(type.getFields()).map((field) => [
          `\`${field.name}\``,
          argumentType(field),
          cell(field.description),
        ]),
      ),
    );
  if (isObjectType(type) || isInterfaceType(type))
    parts.push(
      table(
        ['Field', 'Type', 'Meaning'],
        Object.values(type.getFields()).map((field) => fieldRow(type, field)),
      ),
    );
  return parts.filter(Boolean).join('\n\n');
}

/** A field that says nothing itself means what its interface says. */
function fieldRow(type, field) {
  const inherited = type.getInterfaces().map((parent) => parent.getFields()[field.name]?.description);
  const meaning = [field.description, ...inherited].find(Boolean);
  const args = field.args.map(
    (arg) => `\`${arg.name}\`: ${argumentType(arg)}${arg.description ? `, ${cell(arg.description)}` : ''}`,
  );
  return [`\`${field.name}\``, typeOf(field.type), [cell(meaning), ...args].filter(Boolean).join('<br>')];
}

const argumentType = ({ type, defaultValue }) =>
  typeOf(type) + (defaultValue === undefined ? '' : ` = \`${JSON.stringify(defaultValue)}\``);

/** The type as it is written, leading to what it is about. */
function typeOf(type) {
  const named = getNamedType(type);
  return isSpecifiedScalarType(named) ? `\`${type}\`` : `[\`${type}\`](#${named.name.toLowerCase()})`;
}

const linked = (type) => `[\`${type.name}\`](#${type.name.toLowerCase()})`;
const text = (description) => (description ?? '').trim();
const cell = (description) =>
  text(description)
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|');

function table(head, rows) {
  if (rows.length === 0) return '';
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
