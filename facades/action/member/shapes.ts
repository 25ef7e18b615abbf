/** Converts members of groups and organizations to the wire format. */

/** Member kind: graph → wire. */
export const wireKind = (kind: string): string => (kind === 'dataset' ? 'package' : kind);

/** Member kind: wire → graph. */
export const graphKind = (kind: string): string => (kind === 'package' ? 'dataset' : kind);

/** A member dictionary. */
export const memberDict = <M extends { table_name: string }>(member: M) => ({
  ...member,
  table_name: wireKind(member.table_name),
  state: 'active',
});
