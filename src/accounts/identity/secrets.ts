/** Secrets that clients carry. The beginning tells the kind, to us and to programs that search for secrets that got out. */
import { randomBytes } from 'node:crypto';

export const SESSION_PREFIX = 'cgs_';
export const TOKEN_PREFIX = 'cgt_';
/** One-time keys to choose a password with. */
export const PASSWORD_KEY_PREFIX = 'cgp_';
/** Tokens of uploads. */
export const UPLOAD_PREFIX = 'cgu_';

/** A new secret of that kind: 256 random bits, fit for headers, cookies and addresses. */
export const newSecret = (prefix: string): string => prefix + randomBytes(32).toString('base64url');
