/** Relationships as the wire has them. */
import type { ActionRelationshipDictFragment } from '../../../src/generated/operations.ts';

/** A relationship dictionary: datasets go by name on the wire. */
export const relationshipDict = ({ subject, object, ...rest }: ActionRelationshipDictFragment) => ({
  ...rest,
  subject: subject?.name ?? null,
  object: object?.name ?? null,
});
