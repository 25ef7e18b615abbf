/** What can be followed. Pure; in the words that clients of the Action API know. */
import type { Problem } from '../../kernel/errors.ts';
import type { FollowKind } from './follower.policy.ts';

const WORDS: Readonly<Record<FollowKind, string>> = { USER: 'User', DATASET: 'Dataset', GROUP: 'Group' };

/** Why nothing can be looked up by this text; empty when something was found. */
export const checkFound = (idOrName: string, kind: FollowKind, found: boolean): Problem[] =>
  found ? [] : [{ path: ['idOrName'], message: idOrName === '' ? 'Missing value' : `Not found: ${WORDS[kind]}` }];

/** Nobody follows themselves; deleted things are not there to be followed. */
export function checkFollowable(object: { id: string; state: string }, kind: FollowKind, userId: string): Problem[] {
  if (object.state === 'deleted') return checkFound(object.id, kind, false);
  return kind === 'USER' && object.id === userId ? [{ path: [], message: 'You cannot follow yourself' }] : [];
}

/** Nothing is followed twice. */
export const checkNew = (isNew: boolean, displayName: string): Problem[] =>
  isNew ? [] : [{ path: [], message: `You are already following ${displayName}` }];
