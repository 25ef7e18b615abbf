/** Revisions as the wire has them. */
import { wireTime } from '../../shared/wire/time.ts';

/** A revision dictionary. Nobody approves revisions: `approved_timestamp` is what older clients look for. */
export const revisionDict = <Answered extends { timestamp: string }>(revision: Answered) => ({
  ...revision,
  timestamp: wireTime(revision.timestamp),
  approved_timestamp: null,
});

/** Names of the objects of some kinds, each once, ascending. */
export const namesOf = (objects: readonly { kind: string; name: string }[], kinds: readonly string[]): string[] =>
  [...new Set(objects.filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name))].sort();
