/** Converts followed objects to the wire format. */
import type { ActionFolloweeFragment } from '../../../src/generated/operations.ts';
import { groupDict } from '../../../src/records/form/group-dict.ts';
import { userDictionary } from '../user/inputs.ts';

/** The dictionary of the object's show action; groups and organizations include their datasets. */
export function followedDict({ object }: ActionFolloweeFragment): unknown {
  switch (object.__typename) {
    case 'Dataset':
      return object.document;
    case 'User': {
      const { __typename, ...user } = object;
      return userDictionary(user);
    }
    default: {
      const { __typename, ...group } = object;
      return groupDict(group, true);
    }
  }
}

/** An entry of followee_list. */
export const followeeDict = (followee: ActionFolloweeFragment) => ({
  type: followee.kind.toLowerCase(),
  display_name: followee.display_name,
  dict: followedDict(followee),
});
