/** Tokens for programs. Users create, list and revoke them. The secret is returned once. */
import { type Call, inTransaction } from '../../kernel/call.ts';
import { allow, invalid, invalidField, notAuthorized, notFound, refuse } from '../../kernel/errors.ts';
import { once } from '../../kernel/idempotency.ts';
import { newId } from '../../kernel/ids.ts';
import { newSecret, TOKEN_PREFIX } from '../identity/secrets.ts';
import { checkOwnPassword } from '../session/session.service.ts';
import { accountVisible, recordUser, type UserRecord, userLock, userOfCaller, userShow } from '../user/user.service.ts';
import { mayManageTokens, mustProvePasswordForToken } from './token.policy.ts';
import { checkToken, type Scope } from './token.rules.ts';
import { countTokens, deleteToken, findToken, insertToken, type TokenRecord, tokensOfUsers } from './token.store.ts';

/** The result of creating a token. */
export interface NewTokenRecord {
  readonly id: string;
  /** Null for a token that an earlier request made. */
  readonly secret: string | null;
  readonly token: TokenRecord;
}

export interface CreateTokenInput {
  /** Id or name; defaults to the caller. */
  readonly user?: string | null;
  readonly name: string;
  readonly scope: 'READ' | 'WRITE' | 'ADMIN';
  /** Seconds. */
  readonly expiresIn?: number | null;
  /** The caller's own password; required for callers with a session. */
  readonly currentPassword?: string | null;
  readonly idempotencyKey?: string | null;
}

/** Whether the caller sees a user's tokens. */
export const tokensVisible = (call: Call, user: UserRecord): boolean =>
  accountVisible(call, user) && mayManageTokens(call.actor, user.id) === null;

const make = once<Omit<CreateTokenInput, 'currentPassword'> & { user: string }, NewTokenRecord>(
  'createToken',
  makeToken,
  async (call, ids) => {
    const tokens = await Promise.all(ids.map((id) => findToken(call.db, { id })));
    return tokens.map((token) =>
      token && mayManageTokens(call.actor, token.userId) === null ? { id: token.id, secret: null, token } : null,
    );
  },
);

/**
 * Creates a token. Repeated with the same idempotency key, it returns the same token without its secret, of which only a
 * hash is stored. @throws CatalogError NOT_FOUND (user), NOT_AUTHORIZED, LIMIT (passwords), VALIDATION (all problems at once).
 */
export async function tokenCreate(
  call: Call,
  { currentPassword, ...input }: CreateTokenInput,
): Promise<NewTokenRecord> {
  const { id: userId } = await owner(call, input.user);
  if (mustProvePasswordForToken(call.actor)) {
    if (!currentPassword)
      throw invalidField('currentPassword', 'Required: to create a token in a session, send the current password');
    await checkOwnPassword(call, currentPassword);
  }
  return make(call, { ...input, user: userId });
}

function makeToken(call: Call, input: Omit<CreateTokenInput, 'currentPassword'> & { user: string }) {
  const userId = input.user;
  return inTransaction(call, async (call): Promise<NewTokenRecord> => {
    const user = await userLock(call, userId); // two concurrent requests cannot exceed the limit
    refuse(checkToken({ name: input.name, expiresIn: input.expiresIn ?? null }, await countTokens(call.db, userId)));
    const secret = newSecret(TOKEN_PREFIX);
    const token = await insertToken(call.db, {
      id: newId(),
      userId,
      name: input.name.trim(),
      tokenHash: call.secrets.secretBox.hash(secret),
      scope: input.scope.toLowerCase() as Scope,
      createdAt: call.request.now,
      expiresAt: input.expiresIn == null ? null : new Date(call.request.now.getTime() + input.expiresIn * 1_000),
    });
    await recordUser(call, user, 'updated', {
      fields: ['tokens'],
      token: { id: token.id, name: token.name, action: 'created' },
    });
    return { id: token.id, secret, token };
  });
}

/** A user's tokens, oldest first. `idOrName` defaults to the caller. @throws CatalogError NOT_FOUND, NOT_AUTHORIZED. */
export async function tokenList(call: Call, idOrName: string | null | undefined): Promise<TokenRecord[]> {
  return tokensOfUsers(call.sql, [(await owner(call, idOrName)).id]);
}

/** Revokes a token, by its id or its secret, and returns its id. @throws CatalogError VALIDATION, NOT_FOUND, NOT_AUTHORIZED. */
export async function tokenRevoke(
  call: Call,
  { id, secret }: { id?: string | null; secret?: string | null },
): Promise<string> {
  if (!id === !secret) throw invalid([{ path: [], message: 'Give exactly one of `id` and `secret`' }]);
  return inTransaction(call, async (call) => {
    const token = await findToken(call.db, secret ? { tokenHash: call.secrets.secretBox.hash(secret) } : { id: id! });
    // Every holder of the whole token may revoke it, because it has leaked. Errors for ids reveal nothing to others.
    if (!token || (!secret && mayManageTokens(call.actor, token.userId) !== null))
      throw call.actor.userId === null && !secret
        ? notAuthorized('You must be logged in to revoke a token')
        : notFound('no token has this id or value');
    await deleteToken(call.db, token.id);
    await recordUser(call, await userShow(call, token.userId), 'updated', {
      fields: ['tokens'],
      token: { id: token.id, name: token.name, action: 'revoked' },
    });
    return token.id;
  });
}

async function owner(call: Call, idOrName: string | null | undefined): Promise<UserRecord> {
  if (call.actor.userId === null && !call.actor.sysadmin) throw notAuthorized('You must be logged in to use tokens');
  const user = idOrName ? await userShow(call, idOrName) : await userOfCaller(call);
  if (!user || user.state === 'deleted') throw notFound('User was not found.');
  allow(mayManageTokens(call.actor, user.id));
  return user;
}
