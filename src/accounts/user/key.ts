import { newId } from '../../kernel/ids.ts';
import type { Vault } from '../../kernel/vault.ts';

/** An API key as columns of its user; a new one if none is given. */
export const sealedKey = ({ seal, hash }: Vault, key = newId()): { apiKeySealed: string; apiKeyHash: string } => ({
  apiKeySealed: seal(key),
  apiKeyHash: hash(key),
});
