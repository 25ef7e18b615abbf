/** Converts relationships to the wire format. */
import type { ActionRelationshipDictFragment } from '../../../src/generated/operations.ts';

/** A relationship dictionary; datasets are identified by name. */
export const relationshipDict = ({ subject, object, ...rest }: ActionRelationshipDictFragment) => ({
  ...rest,
  subject: subject?.name ?? null,
  object: object?.name ?? null,
});
