/** Members of groups and organizations as the wire has them. */

/** Kinds of members: the graph's word → the wire's. */
export const wireKind = (kind: string): string => (kind === 'dataset' ? 'package' : kind);

/** Kinds of members: the wire's word → the graph's. */
export const graphKind = (kind: string): string => (kind === 'package' ? 'dataset' : kind);

/** A member dictionary. */
export const memberDict = <M extends { table_name: string }>(member: M) => ({
  ...member,
  table_name: wireKind(member.table_name),
  state: 'active',
});
