/** This graph as a subgraph of Apollo Federation 2: its schema with keys, and the ids of requested entities. */
import {
  type ConstDirectiveNode,
  type FieldDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  type ScalarTypeDefinitionNode,
} from 'graphql';
import { fromGlobalId } from '../../kernel/ids.ts';
import { publicTypeDefs } from '../type-defs.ts';

const NODE = ['id', 'databaseId'] as const;
const NAMED = [...NODE, 'name'] as const;

/** Types of the union _Entity, with their keys. */
export const KEYS: Readonly<Record<string, readonly string[]>> = {
  Dataset: NAMED,
  Organization: NAMED,
  Group: NAMED,
  User: NAMED,
  Vocabulary: NAMED,
  Resource: NODE,
  Tag: NODE,
  Activity: NODE,
  ResourceView: NODE,
  License: ['code'],
  Table: ['resourceId'],
};

const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])';
/** Definitions that routers add. */
const FEDERATION: ReadonlySet<string> = new Set(['_Service', '_Any', '_Entity', '_service', '_entities']);

let sdl: string | null = null;

/** The public SDL with the key of each entity, without the definitions of federation itself. Written at the first request. */
export function subgraphSdl(): string {
  sdl ??= writeSdl();
  return sdl;
}

function writeSdl(): string {
  const definitions = parse(publicTypeDefs, { noLocation: true }).definitions.flatMap((node) => {
    if ('name' in node && FEDERATION.has(node.name?.value ?? '')) return [];
    return [node.kind === Kind.OBJECT_TYPE_DEFINITION ? withDirectives(node) : node];
  });
  return `${LINK}\n${print({ kind: Kind.DOCUMENT, definitions })}`;
}

/** Other subgraphs have `PageInfo` and `node`, too. */
function withDirectives(type: ObjectTypeDefinitionNode): ObjectTypeDefinitionNode {
  const name = type.name.value;
  const keys = keysOf(name).map((key) => `@key(fields: "${key}")`);
  const fields = (type.fields ?? []).filter((field) => !FEDERATION.has(field.name.value));
  const isShared = (field: FieldDefinitionNode) => name === 'Query' && /^nodes?$/.test(field.name.value);
  return {
    ...type,
    directives: [...keys, ...(name === 'PageInfo' ? ['@shareable'] : [])].map(directive),
    fields: fields.map((field) => (isShared(field) ? { ...field, directives: [directive('@shareable')] } : field)),
  };
}

/** A directive as the parser returns it. */
const directive = (text: string): ConstDirectiveNode =>
  (parse(`scalar _ ${text}`, { noLocation: true }).definitions[0] as ScalarTypeDefinitionNode).directives![0]!;

/** The keys of a type. Empty for other types than entities. */
const keysOf = (type: string): readonly string[] => (Object.hasOwn(KEYS, type) ? KEYS[type]! : []);

/** A requested entity: its type, and the value of the first key that the representation has. */
export interface Reference {
  readonly type: string;
  readonly key: string;
  readonly value: string;
}

/** Null for a representation without a known type and key, or with a global id of another type. */
export function referenceOf(representation: unknown): Reference | null {
  const given = (representation ?? {}) as Readonly<Record<string, unknown>>;
  const type = typeof given.__typename === 'string' ? given.__typename : '';
  const key = keysOf(type).find((name) => typeof given[name] === 'string');
  if (key === undefined) return null;
  const value = given[key] as string;
  if (value.includes('\0') || (key === 'id' && fromGlobalId(value)?.type !== type)) return null;
  return { type, key, value };
}
