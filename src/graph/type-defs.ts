/** Reads the SDL: the full schema from schema/, the public one from schema.graphql, which is generated from it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DefinitionNode, type DocumentNode, type EnumTypeDefinitionNode, Kind, parse, visit } from 'graphql';
import { projectRoot } from '../kernel/root.ts';

const folder = join(projectRoot, 'schema');
const files = readdirSync(folder)
  .filter((file) => file.endsWith('.graphql'))
  .sort();

/** File name → SDL. */
export const typeDefs: ReadonlyMap<string, string> = new Map(
  files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
);

const document = parse([...typeDefs.values()].join('\n'), { noLocation: true });
const isText = (node: DefinitionNode): node is EnumTypeDefinitionNode =>
  node.kind === Kind.ENUM_TYPE_DEFINITION && (node.directives ?? []).some(({ name }) => name.value === 'text');

const texts = new Set(document.definitions.filter(isText).map(({ name }) => name.value));

/** The full schema. Enums of texts are strings. */
export const fullTypeDefs: DocumentNode = visit(document, {
  [Kind.ENUM_TYPE_DEFINITION]: (node) => (isText(node) ? null : undefined),
  [Kind.NAMED_TYPE]: (node) =>
    texts.has(node.name.value) ? { ...node, name: { kind: Kind.NAME, value: 'String' } } : undefined,
});

/** Enums of texts: type → name of a value → text. */
export const textEnums: Readonly<Record<string, Readonly<Record<string, string>>>> = Object.fromEntries(
  document.definitions.filter(isText).map(({ name, values = [] }) => {
    const texts = values.map((value) => [value.name.value, value.name.value.toLowerCase()]);
    return [name.value, Object.fromEntries(texts)];
  }),
);

/** The schema without the elements of the facades. */
export const publicTypeDefs: string = readFileSync(join(projectRoot, 'schema.graphql'), 'utf8');
