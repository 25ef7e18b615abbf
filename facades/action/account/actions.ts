import {
  ActionTokenCreateDocument,
  ActionTokenListDocument,
  ActionTokenRevokeDocument,
  ActionUserInviteDocument,
} from '../../../src/generated/operations.ts';
import { wireTime } from '../../../src/records/form/time.ts';
import { action } from '../define.ts';
import { int, required, text } from '../params.ts';
import { listOf, NULL, object, ref, TEXT } from '../schema.ts';
import { userDictionary } from '../user/inputs.ts';
import { tokenLifetime, tokenScope } from './inputs.ts';

export const accountActions = {
  user_invite: action({
    kind: 'write',
    summary: 'Invites a person by e-mail to a group or organization.',
    returns:
      'The dictionary of the new user, who is pending until they choose a password. The account and its role exist even if no mail can be sent.',
    differs:
      'Without a mail server the invitation succeeds, but no mail is sent (`inviteUser` in the graph reports this as `mailed`). A later password reset sends a link.',
    answers: ref('User'),
    document: ActionUserInviteDocument,
    params: {
      email: required(text('E-mail address of the person.')),
      group_id: required(text('Id or name of the group or organization.')),
      role: required(text('`admin`, `editor` or `member`.')),
    },
    variables: (p) => ({ input: { email: p.email, group: p.group_id, capacity: p.role } }),
    result: ({ inviteUser }) => userDictionary(inviteUser.invitation!.user),
  }),
  api_token_create: action({
    kind: 'write',
    summary: 'Creates a token, which can be used in place of an API key.',
    returns: 'Dictionary: `token`, shown this once.',
    answers: object({ token: TEXT }),
    document: ActionTokenCreateDocument,
    params: {
      user: text('Id or name of the user. Default: the caller.'),
      name: required(text('Name of the token.')),
      scope: tokenScope(
        'Most powerful permission of the token: `read`, `write` or `admin`. Default: all permissions of the user.',
      ),
      expires_in: int(
        'Lifetime, in units of `unit` seconds. Without it the token does not expire.',
        1,
        Number.MAX_SAFE_INTEGER,
      ),
      unit: int('Seconds in a unit of `expires_in`. Default: 1.', 1, Number.MAX_SAFE_INTEGER),
      current_password: text('The caller’s own password. Required from callers who are signed in on the web pages.'),
    },
    variables: (p) => ({
      input: {
        user: p.user,
        name: p.name,
        scope: p.scope,
        expiresIn: tokenLifetime(p.expires_in, p.unit),
        currentPassword: p.current_password,
      },
    }),
    result: ({ createToken }) => ({ token: createToken.created!.secret }),
  }),
  api_token_list: action({
    kind: 'read',
    summary: 'Lists the tokens of a user, the oldest first.',
    returns: 'List of dictionaries: `id`, `user_id`, `name`, `scope`, `created_at`, `last_access` and `expires_at`.',
    answers: listOf(ref('Token')),
    document: ActionTokenListDocument,
    params: {
      user_id: text('Id or name of the user. Default: the caller.'),
      user: text('The same.'),
    },
    variables: (p) => ({ user: p.user_id || p.user }),
    result: ({ tokens }) =>
      tokens.map((token) => ({
        ...token,
        scope: token.scope.toLowerCase(),
        created_at: wireTime(token.created_at),
        last_access: token.last_access && wireTime(token.last_access),
        expires_at: token.expires_at && wireTime(token.expires_at),
      })),
  }),
  api_token_revoke: action({
    kind: 'write',
    summary: 'Revokes a token.',
    returns: 'Null.',
    answers: NULL,
    document: ActionTokenRevokeDocument,
    params: {
      token: text('The token itself.'),
      jti: text('Id of the token, instead of the token itself.'),
    },
    anyOf: [['token'], ['jti']],
    variables: (p) => ({ input: { id: p.jti, secret: p.token } }),
    result: () => null,
  }),
};
