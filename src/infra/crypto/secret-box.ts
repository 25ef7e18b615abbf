import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

/** Secrets at rest (ruling 13): keys that are shown again are encrypted, keys that are only compared are hashed. */
export interface SecretBox {
  /** Encrypts (AES-256-GCM, random nonce); repeated calls give different results. */
  seal(text: string): string;
  /** The decrypted text, or null if it was encrypted with another secret or modified. */
  open(sealed: string): string | null;
  /** Keyed hash (HMAC-SHA-256, hex) for look-ups. */
  hash(text: string): string;
  /** Signature (HMAC-SHA-256, base64url), valid for one use only: a signature for one use is invalid for every other. */
  sign(use: string, text: string): string;
}

export function createSecretBox(secret: Buffer): SecretBox {
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', secret, '', use, 32));
  const sealKey = derive('seal');
  const hashKey = derive('hash');
  return {
    seal(text) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(sealed) {
      try {
        const all = Buffer.from(sealed, 'base64url');
        const decipher = createDecipheriv('aes-256-gcm', sealKey, all.subarray(0, 12));
        decipher.setAuthTag(all.subarray(12, 28));
        return decipher.update(all.subarray(28), undefined, 'utf8') + decipher.final('utf8');
      } catch {
        return null;
      }
    },
    hash: (text) => createHmac('sha256', hashKey).update(text).digest('hex'),
    sign: (use, text) =>
      createHmac('sha256', derive(`sign ${use}`))
        .update(text)
        .digest('base64url'),
  };
}
