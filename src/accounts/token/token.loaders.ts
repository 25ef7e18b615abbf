import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { type TokenRecord, tokensOfUsers } from './token.store.ts';

export const tokenLoaders = ({ sql }: Call) => ({
  /** Tokens of a user, oldest first. The policy is checked before. */
  tokensByUser: new DataLoader<string, TokenRecord[]>(async (ids) => {
    const tokens = await tokensOfUsers(sql, ids);
    return ids.map((id) => tokens.filter((token) => token.userId === id));
  }),
});
