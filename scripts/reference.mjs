/** Prints the schema as one file (schema.graphql) and as pages by feature (docs/graph/). Called by scripts/generate.mjs. */
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
  parse,
  printSchema,
} from 'graphql';

/** The public schema in SDL, in alphabetical order, so that diffs are easy to read. */
export const schemaFile = (schema) =>
  `# The graph of the catalog, generated from schema/ by scripts/generate.mjs, without the elements of the facades (docs/contract.md).\n# docs/graph.md is the same schema as pages.\n\n${withDirectives(schema)}\n`;

const NEVER_NULL = 'Null only with an error.';
const isNeverNull = ({ astNode }) => astNode?.directives?.some(({ name }) => name.value === 'semanticNonNull') ?? false;

/** `printSchema` omits directives of fields. */
function withDirectives(schema) {
  const text = printSchema(lexicographicSortSchema(schema));
  const ends = parse(text).definitions.flatMap(({ name, fields = [] }) =>
    fields
      .filter((field) => isNeverNull(schema.getType(name.value).getFields?.()[field.name.value] ?? {}))
      .map(({ type }) => type.loc.end),
  );
  return [0, ...ends].map((end, at) => text.slice(end, ends[at])).join(' @semanticNonNull');
}

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

/** `Type` and `Type.field` → the feature whose SDL file defines it. `files` are the parsed files of schema/ by feature. */
function featuresOf(files) {
  const features = new Map();
  for (const [feature, { definitions }] of files)
    for (const { kind, name, fields = [] } of definitions) {
      if (kind.endsWith('Definition') && name) features.set(name.value, feature);
      for (const field of fields) features.set(`${name.value}.${field.name.value}`, feature);
    }
  return features;
}

/** The reference: path → text of docs/graph.md, an index, and of one page per feature with its fields and types. */
export function referencePages(schema, files) {
  const sorted = lexicographicSortSchema(schema);
  const features = featuresOf(files);
  const roots = ROOTS.map(([title, get]) => [title, sorted[get]()]).filter(([, type]) => type);
  const rootNames = new Set(roots.map(([, type]) => type.name));
  const types = Object.values(sorted.getTypeMap()).filter(
    (type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type) && !rootNames.has(type.name),
  );
  const pages = [...files.keys()].sort().flatMap((feature) => {
    const linkTo = (type) =>
      `${features.get(type.name) === feature ? '' : `${features.get(type.name)}.md`}#${type.name.toLowerCase()}`;
    const sections = [
      ...roots.map(([title, type]) => {
        const fields = Object.values(type.getFields());
        const own = fields.filter(({ name }) => features.get(`${type.name}.${name}`) === feature);
        return [title, own.map(({ name }) => `${type.name}.${name}`), own.map((it) => rootField(type, it, linkTo))];
      }),
      ...KINDS.map(([title, is]) => {
        const own = types.filter((type) => is(type) && features.get(type.name) === feature);
        return [title, own.map(({ name }) => name), own.map((type) => typePart(type, linkTo))];
      }),
    ].filter(([, names]) => names.length > 0);
    return sections.length > 0 ? [{ feature, sections }] : [];
  });
  const index = pages.flatMap(({ feature, sections }) => [
    `## [${feature}](graph/${feature}.md)`,
    ...sections.map(([title, names]) => {
      const links = names.map((name) => `[${name}](graph/${feature}.md#${name.toLowerCase().replace('.', '')})`);
      return `${title}: ${links.join(', ')}`;
    }),
  ]);
  const head = [
    '# The graph, field by field',
    `${HEAD} The same schema as SDL: [schema.graphql](../schema.graphql).`,
    SIGNS,
  ];
  return new Map([
    ['docs/graph.md', page([...head, ...index])],
    ...pages.map(({ feature, sections }) => [
      `docs/graph/${feature}.md`,
      page([
        `# The graph: ${feature}`,
        `Generated from \`schema/${feature}.graphql\`. All features: [graph.md](../graph.md).`,
        ...sections.flatMap(([title, , parts]) => [`## ${title}`, ...parts]),
      ]),
    ]),
  ]);
}

const HEAD =
  'Generated from the schema, one page per feature. [graphql.md](graphql.md) describes requests and their cost.';
const SIGNS =
  'A `!` means never null or, for arguments and inputs, required. Connections (`…Connection`) have `nodes`, `edges` with cursors, and `pageInfo`.';
const page = (parts) => `${parts.join('\n\n')}\n`;

/** The heading includes the type's name, because a type can have the name of a field, such as `Dataset`. */
function rootField(type, field, linkTo) {
  const rows = field.args.map((arg) => [`\`${arg.name}\``, argumentType(arg, linkTo), cell(arg.description)]);
  return [
    `### ${type.name}.${field.name}`,
    `Returns ${typeOf(field.type, linkTo)}${isNeverNull(field) ? ', null only with an error' : ''}.`,
    text(field.description),
    table(['Argument', 'Type', 'Meaning'], rows),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function typePart(type, linkTo) {
  const linked = (of) => `[\`${of.name}\`](${linkTo(of)})`;
  const parts = [`### ${type.name}`, text(type.description)];
  if (type.getInterfaces?.().length > 0) parts.push(`Implements ${type.getInterfaces().map(linked).join(', ')}.`);
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
          argumentType(field, linkTo),
          cell(field.description),
        ]),
      ),
    );
  if (isObjectType(type) || isInterfaceType(type))
    parts.push(
      table(
        ['Field', 'Type', 'Meaning'],
        Object.values(type.getFields()).map((field) => fieldRow(type, field, linkTo)),
      ),
    );
  return parts.filter(Boolean).join('\n\n');
}

/** A field without a description inherits that of its interface. */
function fieldRow(type, field, linkTo) {
  const inherited = type.getInterfaces().map((parent) => parent.getFields()[field.name]?.description);
  const meaning = [field.description, ...inherited].find(Boolean);
  const args = field.args.map(
    (arg) => `\`${arg.name}\`: ${argumentType(arg, linkTo)}${arg.description ? `, ${cell(arg.description)}` : ''}`,
  );
  const isUnsaid = isNeverNull(field) && !meaning?.includes(NEVER_NULL);
  const said = isUnsaid ? `${cell(meaning)} ${NEVER_NULL}` : cell(meaning);
  return [`\`${field.name}\``, typeOf(field.type, linkTo), [said, ...args].filter(Boolean).join('<br>')];
}

const argumentType = ({ type, defaultValue }, linkTo) =>
  typeOf(type, linkTo) + (defaultValue === undefined ? '' : ` = \`${JSON.stringify(defaultValue)}\``);

/** The type in SDL, with a link to its description. */
function typeOf(type, linkTo) {
  const named = getNamedType(type);
  return isSpecifiedScalarType(named) ? `\`${type}\`` : `[\`${type}\`](${linkTo(named)})`;
}

const text = (description) => (description ?? '').trim();
const cell = (description) =>
  text(description)
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|');

function table(head, rows) {
  if (rows.length === 0) return '';
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** Elements that are not public: their meaning, and why they exist. */
export const contractPage = (elements) =>
  page([
    '# Elements of the facades',
    'Generated from the directive `@contract` in `schema/`. The facades run on the full schema. `/graphql` serves the public schema, which lacks these elements ([0030](decisions/0030-public-and-contract-schema.md)).',
    table(
      ['Element', 'Meaning', 'Reason'],
      elements.map(({ path, node, reason }) => [`\`${path}\``, cell(node.description?.value), cell(reason)]),
    ),
  ]);
