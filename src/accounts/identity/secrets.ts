/** Formats of secrets. The prefix names the kind, for this server and for programs that search for leaked secrets. */
import { randomBytes } from 'node:crypto';

export const SESSION_PREFIX = 'cgs_';
export const TOKEN_PREFIX = 'cgt_';
/** One-time keys for choosing a password. */
export const PASSWORD_KEY_PREFIX = 'cgp_';
/** Tokens of uploads. */
export const UPLOAD_PREFIX = 'cgu_';

/** A new secret with that prefix: 256 random bits, safe in headers, cookies and URLs. */
export const newSecret = (prefix: string): string => prefix + randomBytes(32).toString('base64url');
