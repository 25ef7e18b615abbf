/** This graph as a part of a federation: its schema with keys, and its objects by them (Apollo Federation 2). */
import { fromGlobalId } from '../../kernel/ids.ts';
import { typeDefs } from '../type-defs.ts';

/** Types with a key, the global id: those of the union _Entity. */
export const ENTITIES: ReadonlySet<string> = new Set(['Dataset', 'Resource', 'Organization', 'Group', 'User', 'Tag']);

const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])';

/** The SDL without what every router knows, and with the key of each entity. */
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

/** The global id that a router asks for; one that nothing has where the type is no entity or not that of the id. */
export function idOf(representation: unknown): string {
  const { __typename: type, id } = (representation ?? {}) as Representation;
  if (typeof type !== 'string' || typeof id !== 'string' || !ENTITIES.has(type)) return '';
  return fromGlobalId(id)?.type === type ? id : '';
}
