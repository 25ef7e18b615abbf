import {
  ActionSiteUserDocument,
  ActionUserCreateDocument,
  ActionUserDeleteDocument,
  ActionUserGenerateApiKeyDocument,
  ActionUserListDocument,
  ActionUserPatchDocument,
  ActionUserReplaceDocument,
  ActionUserShowDocument,
  type ActionUserShowQuery,
  ActionUserSuggestionsDocument,
} from '../../../src/generated/operations.ts';
import { action, type Read, renamed } from '../define.ts';
import { imageChange, imageClear, imageFields, imageParams } from '../image.ts';
import { flag, int, needed, optionalFlag, present, text } from '../params.ts';
import { listOf, NULL, object, orNull, ref, TEXT } from '../schema.ts';
import { defined, nameText, newPassword, passwordText, userDictionary, userObject, userOrder } from './inputs.ts';

const fields = {
  name: nameText('2 to 100 of lowercase letters, digits, `-` and `_`.'),
  email: text('E-mail address.'),
  password: passwordText('8 to 1,000 characters. System administrators can set 4 or more for other users.'),
  fullname: text('Full name.'),
  about: text('About the user, in Markdown.'),
  openid: text('The OpenID of the user.'),
  ...imageParams,
  activity_streams_email_notifications: optionalFlag('Whether to send e-mails about activities.'),
  sysadmin: optionalFlag('Whether the user is a system administrator. Ignored unless the caller is one.'),
  state: text('`active`, `pending` or `deleted`. Ignored unless the caller is a system administrator.'),
};
const changes = { id: present(text('Id or name of the user.')), ...fields, ...imageClear };

export const userActions = {
  user_list: action({
    kind: 'read',
    summary: 'Lists all active users, sorted by display name.',
    differs:
      '`number_created_packages` includes private datasets if the caller is the user or a system administrator, as the contract says. Only system administrators search by e-mail address. Sorting by e-mail address is not possible.',
    returns: 'List of user dictionaries. `email` and `apikey` are present only if the caller may see them.',
    answers: listOf(ref('User')),
    document: ActionUserListDocument,
    params: {
      q: text('Part of the name or full name, ignoring case. System administrators also search e-mail addresses.'),
      order_by: text('`name` (default), `edits` or a public field of the user. Any other word sorts by name.'),
    },
    variables: (p) => ({ text: p.q, orderBy: userOrder(p.order_by) }),
    problems: renamed({ text: 'q' }),
    result: ({ userList }) => userList.map(userDictionary),
  }),
  user_show: action({
    kind: 'read',
    summary: 'Shows a user, including deleted users.',
    returns: 'User dictionary. `email` and `apikey` are present only for the user and system administrators.',
    answers: ref('User'),
    document: ActionUserShowDocument,
    params: {
      id: text('Id or name of the user.'),
      user_obj: userObject('Dictionary with the id or name of the user.'),
      include_datasets: flag(
        'Return the last 50 datasets that the user created, as `datasets`. Includes private datasets and drafts for the user and system administrators.',
      ),
      include_num_followers: flag('Return the number of followers, as `num_followers`.'),
    },
    anyOf: [['id'], ['user_obj']],
    variables: (p) => ({
      id: p.id || p.user_obj || '',
      datasets: p.include_datasets,
      followers: p.include_num_followers,
    }),
    result: ({ user }) => withDatasets(user),
    version: ({ user }) => user?.version,
  }),
  user_autocomplete: action({
    kind: 'read',
    summary: 'Suggests active users whose name or full name contains a text.',
    returns: 'List of dictionaries: `id`, `name` and `fullname`.',
    answers: listOf(object({ id: TEXT, name: TEXT, fullname: orNull(TEXT) })),
    document: ActionUserSuggestionsDocument,
    params: {
      q: present(text('Part of a name or full name, ignoring case.')),
      limit: int('Maximum number of results. Default: 20.'),
    },
    variables: (p) => ({ text: p.q, limit: p.limit ?? 20 }),
    problems: renamed({ text: 'q' }),
    result: ({ userSuggestions }) => userSuggestions,
  }),
  get_site_user: action({
    kind: 'read',
    summary: 'Shows the user that the installation acts as. System administrators only.',
    returns: 'Dictionary: `name` and `apikey`.',
    answers: object({ name: TEXT, apikey: orNull(TEXT) }),
    document: ActionSiteUserDocument,
    params: { defer_commit: flag('Has no effect.') },
    variables: () => ({}),
    result: ({ siteUser }) => siteUser,
  }),
  user_create: action({
    kind: 'write',
    summary: 'Creates a user.',
    differs: 'Passwords that people choose have at least 8 characters. CKAN accepts 4.',
    returns: 'The new user dictionary, with `apikey`.',
    answers: ref('User'),
    document: ActionUserCreateDocument,
    params: {
      ...fields,
      name: needed(fields.name),
      email: needed(fields.email),
      password: needed(newPassword(fields.password)),
      id: text('Id of the new user. System administrators only. Default: a new UUID.'),
    },
    variables: (p, raw) => ({
      input: { ...inputOf(p), ...imageFields(raw), name: p.name ?? '', ...(p.id && { databaseId: p.id }) },
    }),
    result: ({ createUser }) => userDictionary(createUser.user!),
  }),
  user_update: action({
    kind: 'write',
    summary: 'Changes a user. The e-mail address is required. Other omitted fields keep their value.',
    differs: 'Passwords that people choose have at least 8 characters. CKAN accepts 4.',
    returns: 'The updated user dictionary.',
    answers: ref('User'),
    document: ActionUserReplaceDocument,
    params: { ...changes, email: needed(fields.email) },
    variables: (p, raw, expectedVersion) => ({
      input: { ...inputOf(p), ...imageChange(raw), ...defined({ name: p.name }), user: p.id, expectedVersion },
    }),
    result: ({ replaceUser }) => userDictionary(replaceUser.user!),
  }),
  user_patch: action({
    kind: 'write',
    summary: 'Changes the given fields of a user.',
    returns: 'The updated user dictionary.',
    answers: ref('User'),
    document: ActionUserPatchDocument,
    params: changes,
    variables: (p, raw, expectedVersion) => ({
      input: { ...inputOf(p), ...imageChange(raw), ...defined({ name: p.name }), user: p.id, expectedVersion },
    }),
    result: ({ updateUser }) => userDictionary(updateUser.user!),
  }),
  user_delete: action({
    kind: 'write',
    summary: 'Marks a user as deleted and ends all memberships. System administrators only.',
    returns: 'Null.',
    answers: NULL,
    document: ActionUserDeleteDocument,
    params: { id: present(text('Id or name of the user.')) },
    variables: (p) => ({ input: { user: p.id } }),
    result: () => null,
  }),
  user_generate_apikey: action({
    kind: 'write',
    summary: 'Creates a new API key for a user. The old key stops working.',
    returns: 'The user dictionary, with the new `apikey`.',
    answers: ref('User'),
    document: ActionUserGenerateApiKeyDocument,
    params: { id: present(text('Id or name of the user.')) },
    variables: (p) => ({ input: { user: p.id } }),
    result: ({ generateApiKey }) => userDictionary(generateApiKey.user!),
  }),
};

/** Input common to all writes. Omitted parameters stay undefined. */
function inputOf({
  email,
  password,
  fullname,
  about,
  openid,
  activity_streams_email_notifications,
  sysadmin,
  state,
}: Read<typeof fields>) {
  return defined({
    email,
    password,
    fullName: fullname,
    about,
    openId: openid,
    emailNotifications: activity_streams_email_notifications,
    sysadmin,
    state,
  });
}

/** The wire dictionary, with datasets when requested. */
function withDatasets({ datasets, version: _version, ...user }: NonNullable<ActionUserShowQuery['user']>) {
  return { ...userDictionary(user), ...(datasets && { datasets: datasets.nodes.map((dataset) => dataset.document) }) };
}
