import {
  ActionActivityCreateDocument,
  ActionActivityDetailsDocument,
  ActionActivityDigestsDocument,
  ActionActivityHtmlDocument,
  ActionActivityListDocument,
  ActionDashboardMarkSeenDocument,
  ActionDashboardNewsDocument,
  type ActivityStream,
} from '../../../src/generated/operations.ts';
import { activityDict } from '../../shared/wire/activity.ts';
import { action } from '../define.ts';
import { neededText, objectId, present, required, text } from '../params.ts';
import { listOf, NULL, NUMBER, ref, TEXT } from '../schema.ts';
import { activityHtml } from './html.ts';
import { activityType, dictionary, page } from './inputs.ts';
import { detailDict } from './shapes.ts';

type Page = { limit?: number | undefined; offset?: number | undefined };
const part = ({ limit, offset }: Page) => ({ limit: limit || null, offset: offset ?? 0 });
const dashboard = false;

const WHAT = {
  user: 'the activities of a user and the changes of the account',
  package: 'the activities of a dataset',
  group: 'the activities of a group and its datasets',
  organization: 'the activities of an organization and its datasets',
} as const;
type Word = keyof typeof WHAT;
const STREAMS: Readonly<Record<Word, ActivityStream>> = {
  user: 'USER',
  package: 'DATASET',
  group: 'GROUP',
  organization: 'ORGANIZATION',
};
const OBJECT_NAMES = { package: 'Package', group: 'Group', organization: 'Group' } as const;
const idOf = (word: Word) => {
  const id = text(`Id or name of the ${word === 'package' ? 'dataset' : word}.`);
  return { id: word === 'user' ? present(id) : objectId(id, OBJECT_NAMES[word]) };
};
const DICTS =
  'List of dictionaries: `id`, `timestamp`, `user_id`, `object_id`, `revision_id`, `activity_type` and `data`';
const SNIPPET = 'HTML text without header and footer: one list item for each activity, newest first.';

const list = (word: Word) =>
  action({
    kind: 'read',
    summary: `Lists ${WHAT[word]}, newest first.`,
    returns: `${DICTS}.`,
    answers: listOf(ref('Activity')),
    document: ActionActivityListDocument,
    isCached: true,
    params: { ...idOf(word), ...page },
    variables: (p) => ({ of: STREAMS[word], id: p.id, ...part(p), dashboard }),
    result: ({ activityList }) => activityList.map(activityDict),
  });

const html = (word: Word) =>
  action({
    kind: 'read',
    summary: `Lists ${WHAT[word]} as HTML, newest first.`,
    returns: SNIPPET,
    answers: TEXT,
    document: ActionActivityHtmlDocument,
    params: { ...idOf(word), ...page },
    variables: (p) => ({ of: STREAMS[word], id: p.id, ...part(p) }),
    result: ({ activityList }) => activityHtml(activityList),
  });

export const activityActions = {
  user_activity_list: list('user'),
  package_activity_list: list('package'),
  group_activity_list: list('group'),
  organization_activity_list: list('organization'),
  user_activity_list_html: html('user'),
  package_activity_list_html: html('package'),
  group_activity_list_html: html('group'),
  organization_activity_list_html: html('organization'),
  recently_changed_packages_activity_list: action({
    kind: 'read',
    summary: 'Lists the activities of all datasets, newest first.',
    returns: `${DICTS}.`,
    answers: listOf(ref('Activity')),
    document: ActionActivityListDocument,
    isCached: true,
    params: page,
    variables: (p) => ({ of: 'SITE' as const, ...part(p), dashboard }),
    result: ({ activityList }) => activityList.map(activityDict),
  }),
  recently_changed_packages_activity_list_html: action({
    kind: 'read',
    summary: 'Lists the activities of all datasets as HTML, newest first.',
    returns: SNIPPET,
    answers: TEXT,
    document: ActionActivityHtmlDocument,
    params: page,
    variables: (p) => ({ of: 'SITE' as const, ...part(p) }),
    result: ({ activityList }) => activityHtml(activityList),
  }),
  activity_detail_list: action({
    kind: 'read',
    summary: 'Lists the objects that an activity changed: the dataset, its resources, extras and tags.',
    returns: 'List of dictionaries: `id`, `activity_id`, `object_id`, `object_type`, `activity_type` and `data`.',
    answers: listOf(ref('ActivityDetail')),
    document: ActionActivityDetailsDocument,
    params: { id: present(text('Id of the activity.')) },
    variables: (p) => ({ id: p.id }),
    result: ({ activityDetails }) => activityDetails.map(detailDict),
  }),
  activity_create: action({
    kind: 'write',
    summary: 'Records an activity for an external program. System administrators only.',
    returns: 'The activity dictionary.',
    answers: ref('Activity'),
    document: ActionActivityCreateDocument,
    params: {
      user_id: required(text('Id or name of the user who did it.')),
      object_id: required(text('Id or name of the object.')),
      activity_type: activityType('Type of the activity: `new package`, `changed group`, `follow user` and similar.'),
      data: dictionary('Additional data of the activity, as JSON.'),
    },
    variables: (p) => ({ input: { userId: p.user_id, objectId: p.object_id, type: p.activity_type, data: p.data } }),
    result: ({ createActivity }) => activityDict(createActivity.activity!),
  }),
  dashboard_activity_list: action({
    kind: 'read',
    summary: 'Lists the activities of the caller and of everything the caller follows, newest first.',
    returns: `${DICTS}. \`is_new\` is true for unseen activities of other users.`,
    answers: listOf(ref('Activity')),
    document: ActionActivityListDocument,
    params: page,
    variables: (p) => ({ of: 'DASHBOARD' as const, ...part(p), dashboard: true }),
    result: ({ activityList }) => activityList.map(activityDict),
  }),
  dashboard_activity_list_html: action({
    kind: 'read',
    summary: "Lists the activities on the caller's dashboard as HTML, newest first.",
    returns: SNIPPET,
    answers: TEXT,
    document: ActionActivityHtmlDocument,
    params: { id: neededText('Id or name of the user, who must be the caller.'), ...page },
    variables: (p) => ({ of: 'DASHBOARD' as const, id: p.id, ...part(p) }),
    result: ({ activityList }) => activityHtml(activityList),
  }),
  dashboard_new_activities_count: action({
    kind: 'read',
    summary: "Counts the unseen activities of other users on the caller's dashboard.",
    returns: 'Number, up to `catalog.limits.rows`.',
    answers: NUMBER,
    document: ActionDashboardNewsDocument,
    params: {},
    variables: () => ({}),
    result: ({ viewerDashboard }) => viewerDashboard.newActivityCount,
  }),
  dashboard_mark_activities_old: action({
    kind: 'write',
    summary: "Marks everything on the caller's dashboard as seen.",
    returns: 'Null.',
    answers: NULL,
    document: ActionDashboardMarkSeenDocument,
    params: {},
    variables: () => ({}),
    result: () => null,
  }),
  send_email_notifications: action({
    kind: 'write',
    summary:
      'Sends e-mails about new activities to users who have enabled activity_streams_email_notifications. System administrators only.',
    returns: 'Null. Mails that could not be sent are logged, and sent the next time.',
    answers: NULL,
    document: ActionActivityDigestsDocument,
    params: {},
    variables: () => ({}),
    result: () => null,
  }),
};
