import {
  ActionAmFollowingDocument,
  ActionFollowDocument,
  ActionFolloweeCountDocument,
  ActionFolloweeListDocument,
  ActionFollowerCountDocument,
  ActionFollowerListDocument,
  ActionUnfollowDocument,
  type FolloweeKind,
  type FollowKind,
} from '../../../src/generated/operations.ts';
import { wireTime } from '../../../src/records/form/time.ts';
import { action } from '../define.ts';
import { neededText, text } from '../params.ts';
import { FLAG, listOf, NULL, NUMBER, ref } from '../schema.ts';
import { userDictionary } from '../user/inputs.ts';
import { followedDict, followeeDict } from './shapes.ts';

/** Kinds by their wire names. One lookup serves groups and organizations. */
const KINDS = { user: 'USER', dataset: 'DATASET', group: 'GROUP', organization: 'GROUP' } as const;
type Word = keyof typeof KINDS;
const DICTIONARY = { USER: 'User', DATASET: 'Dataset', GROUP: 'Group', ORGANIZATION: 'Organization' } as const;

const a = (word: Word): string => (word === 'organization' ? `an ${word}` : `a ${word}`);
const objectId = (word: Word) => ({ id: neededText(`Id or name of the ${word}.`) });
const follower = { id: neededText('Id or name of the user who follows.') };

const follow = (word: Word) =>
  action({
    kind: 'write',
    summary: `Makes the caller follow ${a(word)}${word === 'group' ? ' or an organization' : ''}.`,
    ...(word === 'dataset' && { differs: 'A dataset that the caller may not read cannot be followed.' }),
    returns: 'Dictionary: `follower_id`, `object_id` and `datetime`.',
    answers: ref('Following'),
    document: ActionFollowDocument,
    params: objectId(word),
    variables: (p) => ({ input: { kind: KINDS[word], id: p.id } }),
    result: ({ followObject: { following } }) => ({ ...following!, datetime: wireTime(following!.datetime) }),
  });

const unfollow = (word: Word) =>
  action({
    kind: 'write',
    summary: `Makes the caller stop following ${a(word)}${word === 'group' ? ' or an organization' : ''}.`,
    returns: 'Null.',
    answers: NULL,
    document: ActionUnfollowDocument,
    params: objectId(word),
    variables: (p) => ({ input: { kind: KINDS[word], id: p.id } }),
    result: () => null,
  });

const followerCount = (word: Word) =>
  action({
    kind: 'read',
    summary: `Counts the active users who follow ${a(word)}.`,
    ...(word === 'dataset' && { differs: 'The caller must be able to read the dataset.' }),
    returns: 'Number.',
    answers: NUMBER,
    document: ActionFollowerCountDocument,
    params: objectId(word),
    variables: (p): { kind: FollowKind; id: string } => ({ kind: KINDS[word], id: p.id }),
    result: (data) => data.followerCount,
  });

const followerList = (word: Word) =>
  action({
    kind: 'read',
    summary: `Lists the active users who follow ${a(word)}. System administrators only.`,
    returns: 'List of user dictionaries, sorted by display name.',
    answers: listOf(ref('User')),
    document: ActionFollowerListDocument,
    params: objectId(word),
    variables: (p): { kind: FollowKind; id: string } => ({ kind: KINDS[word], id: p.id }),
    result: (data) => data.followerList.map(userDictionary),
  });

const amFollowing = (word: Word) =>
  action({
    kind: 'read',
    summary: `Checks whether the caller follows ${a(word)}${word === 'group' ? ' or an organization' : ''}.`,
    ...(word === 'dataset' && { differs: 'The caller must be able to read the dataset.' }),
    returns: 'True or false.',
    answers: FLAG,
    document: ActionAmFollowingDocument,
    params: objectId(word),
    variables: (p): { kind: FollowKind; id: string } => ({ kind: KINDS[word], id: p.id }),
    result: (data) => data.viewerIsFollowing,
  });

const followeeCount = (what: string, kinds: FolloweeKind[] | null) =>
  action({
    kind: 'read',
    summary: `Counts the ${what} that a user follows and the caller may read.`,
    differs: 'Takes a name as well as an id, as the contract says. Counts only objects that the caller may read.',
    returns: 'Number.',
    answers: NUMBER,
    document: ActionFolloweeCountDocument,
    params: follower,
    variables: (p) => ({ id: p.id, kinds }),
    result: (data) => data.followeeCount,
  });

const followeeList = (what: string, kind: FolloweeKind) =>
  action({
    kind: 'read',
    summary: `Lists the ${what} that a user follows. Only the user and system administrators may call it.`,
    differs: 'Omits objects that the caller may no longer read.',
    returns:
      'List of dictionaries as the show action returns them, sorted by display name. Groups and organizations have `packages`.',
    answers: listOf(ref(DICTIONARY[kind])),
    document: ActionFolloweeListDocument,
    params: follower,
    variables: (p) => ({ id: p.id, kinds: [kind] }),
    result: ({ followees }) => followees.map(followedDict),
  });

export const followerActions = {
  follow_user: follow('user'),
  follow_dataset: follow('dataset'),
  follow_group: follow('group'),
  unfollow_user: unfollow('user'),
  unfollow_dataset: unfollow('dataset'),
  unfollow_group: unfollow('group'),
  user_follower_count: followerCount('user'),
  dataset_follower_count: followerCount('dataset'),
  group_follower_count: followerCount('group'),
  organization_follower_count: followerCount('organization'),
  user_follower_list: followerList('user'),
  dataset_follower_list: followerList('dataset'),
  group_follower_list: followerList('group'),
  organization_follower_list: followerList('organization'),
  am_following_user: amFollowing('user'),
  am_following_dataset: amFollowing('dataset'),
  am_following_group: amFollowing('group'),
  followee_count: followeeCount('users, datasets, groups and organizations', null),
  user_followee_count: followeeCount('users', ['USER']),
  dataset_followee_count: followeeCount('datasets', ['DATASET']),
  group_followee_count: followeeCount('groups and organizations', ['GROUP', 'ORGANIZATION']),
  followee_list: action({
    kind: 'read',
    summary: 'Lists everything that a user follows. Only the user and system administrators may call it.',
    differs: 'Organizations have the type organization. Omits objects that the caller may no longer read.',
    returns:
      'List of dictionaries, sorted by display name: `type` (user, dataset, group or organization), `display_name`, and `dict` as the show action returns it.',
    answers: listOf(ref('Followee')),
    document: ActionFolloweeListDocument,
    params: { ...follower, q: text('Beginning of the display name, ignoring case.') },
    variables: (p) => ({ id: p.id, kinds: null, startsWith: p.q }),
    result: ({ followees }) => followees.map(followeeDict),
  }),
  user_followee_list: followeeList('users', 'USER'),
  dataset_followee_list: followeeList('datasets', 'DATASET'),
  group_followee_list: followeeList('groups', 'GROUP'),
  organization_followee_list: followeeList('organizations', 'ORGANIZATION'),
};
