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

/** Roles, the strongest first. Groups do not tell editors from members: nobody edits datasets through a group. */
export const rolesOf = (groupType: string | null): readonly RoleRecord[] =>
  groupType === 'group' ? [ADMIN, MEMBER] : [ADMIN, EDITOR, MEMBER];

/** Whether a role can be given to a user, in a group or an organization. */
export const isRole = (role: string): boolean => rolesOf(null).some(({ value }) => value === role);

export const isMemberKind = (kind: string): kind is MemberKind => KINDS.has(kind);

/** Why this is no kind of member, in the words of the Action API. */
export const unknownKind = (kind: string): Problem => ({
  path: [],
  message: `${kind.charAt(0).toUpperCase()}${kind.slice(1, 100)} isn't a valid model`,
});

/** What is wrong with a capacity. */
export const checkCapacity = (capacity: string): Problem[] =>
  capacity === '' ? [{ path: ['capacity'], message: 'Missing value' }] : checkWord(['capacity'], capacity);
