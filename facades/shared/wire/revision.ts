/** Converts revisions to the wire format. */
import { wireTime } from '../../../src/records/form/time.ts';

/** A revision dictionary. `approved_timestamp` exists for older clients only. */
export const revisionDict = <Answered extends { timestamp: string }>(revision: Answered) => ({
  ...revision,
  timestamp: wireTime(revision.timestamp),
  approved_timestamp: null,
});

/** Names or ids of objects of the given kinds, unique and ascending. */
export const objectsOf = <Key extends string>(
  objects: readonly ({ readonly kind: string } & { readonly [key in Key]: string })[],
  kinds: readonly string[],
  key: Key,
): string[] =>
  [...new Set(objects.filter(({ kind }) => kinds.includes(kind)).map((object): string => object[key]))].sort();
