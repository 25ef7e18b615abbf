import type { SecretBox } from '../../infra/crypto/secret-box.ts';
import { newId } from '../../kernel/ids.ts';

/** An API key as columns of its user; a new one if none is given. */
export const sealedKey = ({ seal, hash }: SecretBox, key = newId()): { apiKeySealed: string; apiKeyHash: string } => ({
  apiKeySealed: seal(key),
  apiKeyHash: hash(key),
});
