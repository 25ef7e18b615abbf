import type { Action, Special } from '../define.ts';
import { accountActions } from './account.ts';
import { activityActions } from './activity.ts';
import { bulkActions } from './bulk.ts';
import { datasetActions } from './dataset.ts';
import { datastoreActions } from './datastore.ts';
import { followerActions } from './follower.ts';
import { groupActions } from './group.ts';
import { helpActions } from './help.ts';
import { legacyActions } from './legacy.ts';
import { licenseActions } from './license.ts';
import { memberActions } from './member.ts';
import { optionActions } from './option.ts';
import { organizationActions } from './organization.ts';
import { ratingActions } from './rating.ts';
import { relatedActions } from './related.ts';
import { relationshipActions } from './relationship.ts';
import { resourceActions } from './resource.ts';
import { reviseActions } from './revise.ts';
import { revisionActions } from './revision.ts';
import { roleActions } from './role.ts';
import { searchActions } from './search.ts';
import { siteActions } from './site.ts';
import { tagActions } from './tag.ts';
import { taskActions } from './task.ts';
import { translationActions } from './translation.ts';
import { userActions } from './user.ts';
import { viewActions } from './view.ts';
import { vocabularyActions } from './vocabulary.ts';

/** Every action by its name on the wire. */
export const actions: Readonly<Record<string, Action | Special>> = {
  ...datasetActions,
  ...searchActions,
  ...resourceActions,
  ...viewActions,
  ...datastoreActions,
  ...taskActions,
  ...groupActions,
  ...organizationActions,
  ...memberActions,
  ...siteActions,
  ...optionActions,
  ...licenseActions,
  ...tagActions,
  ...vocabularyActions,
  ...translationActions,
  ...ratingActions,
  ...relatedActions,
  ...roleActions,
  ...userActions,
  ...accountActions,
  ...followerActions,
  ...revisionActions,
  ...relationshipActions,
  ...bulkActions,
  ...activityActions,
  ...reviseActions,
  ...legacyActions,
  ...helpActions(() => actions),
};
