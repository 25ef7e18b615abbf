/** Roles and kinds of members. Pure. */
import type { Problem } from '../../kernel/errors.ts';
import { checkWord } from './group.rules.ts';
import type { MemberKind } from './member.store.ts';

export interface RoleRecord {
  readonly value: string;
  readonly text: string;
}

const ADMIN: RoleRecord = { value: 'admin', text: 'Admin' };
const EDITOR: RoleRecord = { value: 'editor', text: 'Editor' };
const MEMBER: RoleRecord = { value: 'member', text: 'Member' };
const KINDS: ReadonlySet<string> = new Set<MemberKind>(['user', 'dataset', 'group']);

/** Roles, the strongest first. Groups have no editors, because group roles do not grant editing of datasets. */
export const rolesOf = (groupType: string | null): readonly RoleRecord[] =>
  groupType === 'group' ? [ADMIN, MEMBER] : [ADMIN, EDITOR, MEMBER];

/** Whether users can have this role in a group or an organization. */
export const isRole = (role: string): boolean => rolesOf(null).some(({ value }) => value === role);

export const isMemberKind = (kind: string): kind is MemberKind => KINDS.has(kind);

/** The problem of an unknown kind of member, in the text of the Action API. */
export const unknownKind = (kind: string): Problem => ({
  path: [],
  message: `${kind.charAt(0).toUpperCase()}${kind.slice(1, 100)} isn't a valid model`,
});

/** Problems of a capacity. */
export const checkCapacity = (capacity: string): Problem[] =>
  capacity === '' ? [{ path: ['capacity'], message: 'Missing value' }] : checkWord(['capacity'], capacity);
