/** Revisions as the wire has them. */
import { wireTime } from './time.ts';

/** A revision dictionary. Nobody approves revisions: `approved_timestamp` is what older clients look for. */
export const revisionDict = <Answered extends { timestamp: string }>(revision: Answered) => ({
  ...revision,
  timestamp: wireTime(revision.timestamp),
  approved_timestamp: null,
});

/** The names or ids of objects of some kinds, each once, ascending. */
export const objectsOf = <Key extends string>(
  objects: readonly ({ readonly kind: string } & { readonly [key in Key]: string })[],
  kinds: readonly string[],
  key: Key,
): string[] =>
  [...new Set(objects.filter(({ kind }) => kinds.includes(kind)).map((object): string => object[key]))].sort();
