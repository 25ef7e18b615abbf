import { accountActions } from './account/actions.ts';
import { activityActions } from './activity/actions.ts';
import { bulkActions } from './bulk/actions.ts';
import { datasetActions } from './dataset/actions.ts';
import { datastoreActions } from './datastore/actions.ts';
import type { Action, Special } from './define.ts';
import { followerActions } from './follower/actions.ts';
import { groupActions } from './group/actions.ts';
import { helpActions } from './help/actions.ts';
import { legacyActions } from './legacy/actions.ts';
import { licenseActions } from './license/actions.ts';
import { memberActions } from './member/actions.ts';
import { optionActions } from './option/actions.ts';
import { organizationActions } from './organization/actions.ts';
import { ratingActions } from './rating/actions.ts';
import { relatedActions } from './related/actions.ts';
import { relationshipActions } from './relationship/actions.ts';
import { resourceActions } from './resource/actions.ts';
import { reviseActions } from './revise/actions.ts';
import { revisionActions } from './revision/actions.ts';
import { roleActions } from './role/actions.ts';
import { searchActions } from './search/actions.ts';
import { siteActions } from './site/actions.ts';
import { tagActions } from './tag/actions.ts';
import { taskActions } from './task/actions.ts';
import { translationActions } from './translation/actions.ts';
import { userActions } from './user/actions.ts';
import { viewActions } from './view/actions.ts';
import { vocabularyActions } from './vocabulary/actions.ts';

/** All actions by their name on the wire. */
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
