/** Derives the public schema from the files of schema/: without the elements marked @contract, and without types that only they use. */
import { buildASTSchema, getNamedType, isInterfaceType, isUnionType, Kind, visit } from 'graphql';

/** Directives that the public schema does not define. */
const MARKS = ['contract', 'text'];

const isContract = (node) => (node.directives ?? []).some(({ name }) => name.value === 'contract');
const keepPublic = (node) => (isContract(node) ? null : undefined);

/** The document without contract elements. @throws Error for a public element whose type is a contract element */
export function publicDocument(document) {
  const marked = visit(document, {
    [Kind.DIRECTIVE_DEFINITION]: ({ name }) => (MARKS.includes(name.value) ? null : undefined),
    [Kind.DIRECTIVE]: ({ name }) => (name.value === 'text' ? null : undefined),
    FieldDefinition: keepPublic,
    InputValueDefinition: keepPublic,
    EnumValueDefinition: keepPublic,
    ObjectTypeDefinition: keepPublic,
    InputObjectTypeDefinition: keepPublic,
    EnumTypeDefinition: keepPublic,
  });
  const definitions = marked.definitions.filter((node) => !node.kind.endsWith('Extension') || hasContent(node));
  const kept = { ...marked, definitions };
  const reachable = reachableTypes(buildASTSchema(kept));
  return {
    ...kept,
    definitions: definitions.filter(({ kind, name }) => kind === 'DirectiveDefinition' || reachable.has(name.value)),
  };
}

const hasContent = ({ fields = [], values = [], types = [], interfaces = [] }) =>
  fields.length + values.length + types.length + interfaces.length > 0;

/** Names of the types that operations can use. */
function reachableTypes(schema) {
  const found = new Set();
  const open = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].filter(Boolean);
  for (let type = open.pop(); type; type = open.pop()) {
    if (found.has(type.name)) continue;
    found.add(type.name);
    for (const field of Object.values(type.getFields?.() ?? {})) {
      open.push(getNamedType(field.type), ...(field.args ?? []).map((arg) => getNamedType(arg.type)));
    }
    if (isUnionType(type) || isInterfaceType(type)) open.push(...schema.getPossibleTypes(type));
    open.push(...(type.getInterfaces?.() ?? []));
  }
  return found;
}

const isText = ({ kind, directives = [] }) =>
  kind === Kind.ENUM_TYPE_DEFINITION && directives.some(({ name }) => name.value === 'text');

/** The document for facades: enums of texts are strings. */
export function fullDocument(document) {
  const names = new Set(document.definitions.filter(isText).map(({ name }) => name.value));
  return visit(document, {
    [Kind.ENUM_TYPE_DEFINITION]: (node) => (isText(node) ? null : undefined),
    [Kind.NAMED_TYPE]: (node) =>
      names.has(node.name.value) ? { ...node, name: { ...node.name, value: 'String' } } : undefined,
  });
}

/** Marked elements in order of the files: `Type.field`, `Type.field(argument)` or `Type`, with the node and its reason. */
export function contractElements(document) {
  const elements = [];
  const note = (path, node) => {
    const mark = (node.directives ?? []).find(({ name }) => name.value === 'contract');
    if (mark) elements.push({ path, node, reason: mark.arguments[0].value.value });
  };
  for (const { kind, name, directives, fields = [], values = [] } of document.definitions) {
    if (kind === 'DirectiveDefinition' || !name) continue;
    note(name.value, { directives });
    for (const node of [...fields, ...values]) {
      note(`${name.value}.${node.name.value}`, node);
      for (const arg of node.arguments ?? []) note(`${name.value}.${node.name.value}(${arg.name.value})`, arg);
    }
  }
  return elements;
}
