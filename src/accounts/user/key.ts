import type { SecretBox } from '../../infra/crypto/secret-box.ts';
import { newId } from '../../kernel/ids.ts';

/** Columns of a user's API key; generates one by default. */
export const sealedKey = ({ seal, hash }: SecretBox, key = newId()): { apiKeySealed: string; apiKeyHash: string } => ({
  apiKeySealed: seal(key),
  apiKeyHash: hash(key),
});
