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

/** Types of the union _Entity. Their key is the global id. */
export const ENTITIES: ReadonlySet<string> = new Set(['Dataset', 'Resource', 'Organization', 'Group', 'User', 'Tag']);

const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])';
/** Definitions that routers add. */
const FEDERATION: ReadonlySet<string> = new Set(['_Service', '_Any', '_Entity', '_service', '_entities']);

/** The public SDL with the key of each entity, without the definitions of federation itself. */
export function subgraphSdl(): string {
  const definitions = parse(publicTypeDefs, { noLocation: true }).definitions.flatMap((node) => {
    if ('name' in node && FEDERATION.has(node.name?.value ?? '')) return [];
    return [node.kind === Kind.OBJECT_TYPE_DEFINITION ? withDirectives(node) : node];
  });
  return `${LINK}\n${print({ kind: Kind.DOCUMENT, definitions })}`;
}

/** Other subgraphs have `PageInfo` and `node`, too. */
function withDirectives(type: ObjectTypeDefinitionNode): ObjectTypeDefinitionNode {
  const name = type.name.value;
  const keys = ENTITIES.has(name) ? ['@key(fields: "id")'] : [];
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

export interface Representation {
  readonly __typename?: unknown;
  readonly id?: unknown;
}

/** The requested global id. An empty text, which no object has, when the type is not an entity or differs from the id's type. */
export function idOf(representation: unknown): string {
  const { __typename: type, id } = (representation ?? {}) as Representation;
  if (typeof type !== 'string' || typeof id !== 'string' || !ENTITIES.has(type)) return '';
  return fromGlobalId(id)?.type === type ? id : '';
}
