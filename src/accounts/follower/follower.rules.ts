/** Rules of following. Pure; uses the texts that Action API clients know. */
import type { Problem } from '../../kernel/errors.ts';
import type { FollowKind } from './follower.policy.ts';

const WORDS: Readonly<Record<FollowKind, string>> = { USER: 'User', DATASET: 'Dataset', GROUP: 'Group' };

/** Problems of an unknown id or name; empty when the object was found. */
export const checkFound = (idOrName: string, kind: FollowKind, found: boolean): Problem[] =>
  found ? [] : [{ path: ['id'], message: idOrName === '' ? 'Missing value' : `Not found: ${WORDS[kind]}` }];

/** Users cannot follow themselves, nor deleted objects. */
export function checkFollowable(object: { id: string; state: string }, kind: FollowKind, userId: string): Problem[] {
  if (object.state === 'deleted') return checkFound(object.id, kind, false);
  return kind === 'USER' && object.id === userId ? [{ path: [], message: 'You cannot follow yourself' }] : [];
}

/** An object can be followed once. */
export const checkNew = (isNew: boolean, displayName: string): Problem[] =>
  isNew ? [] : [{ path: [], message: `You are already following ${displayName}` }];
