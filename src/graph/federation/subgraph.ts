/** This graph as a subgraph of Apollo Federation 2: its schema with keys, and the ids of requested entities. */
import { fromGlobalId } from '../../kernel/ids.ts';
import { typeDefs } from '../type-defs.ts';

/** Types of the union _Entity. Their key is the global id. */
export const ENTITIES: ReadonlySet<string> = new Set(['Dataset', 'Resource', 'Organization', 'Group', 'User', 'Tag']);

const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])';

/** The SDL with the key of each entity, without the definitions of federation itself. */
export const subgraphSdl = (): string =>
  [LINK, ...[...typeDefs].filter(([file]) => file !== 'federation.graphql').map(([, text]) => withKeys(text))].join(
    '\n',
  );

const withKeys = (text: string): string =>
  text.replace(/^type (\w+)[^{\n]*/gm, (head, name: string) =>
    ENTITIES.has(name) ? `${head.trimEnd()} @key(fields: "id") ` : head,
  );

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
