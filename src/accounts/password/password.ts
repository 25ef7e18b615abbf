/** Password hashes: Argon2id in PHC strings (`$argon2id$v=19$m=…`). Independent of users and password rules. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Argon } from '../../infra/crypto/argon.ts';

/** Cost of new hashes: memory in KiB, passes, lanes (one of the sets that OWASP recommends). */
interface Cost {
  readonly memory: number;
  readonly passes: number;
  readonly lanes: number;
}
const COST: Cost = { memory: 19_456, passes: 2, lanes: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

const PHC = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** A PHC string with its own salt, so equal passwords give different strings. @throws CatalogError LIMIT */
export async function hashPassword(argon: Argon, password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(argon, password, salt, COST, HASH_BYTES);
  return `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.lanes}$${base64(salt)}$${base64(hash)}`;
}

/**
 * Whether the password matches the hash. A missing or foreign hash is false after the same work, so that the response
 * time does not reveal existing users. The empty password never matches. @throws CatalogError LIMIT
 */
export async function verifyPassword(argon: Argon, password: string, phc: string | null): Promise<boolean> {
  if (password === '') return false;
  const [, memory, passes, lanes, salt, hash] = PHC.exec(phc ?? '') ?? [];
  if (!salt || !hash) {
    await derive(argon, password, Buffer.alloc(SALT_BYTES), COST, HASH_BYTES);
    return false;
  }
  const expected = Buffer.from(hash, 'base64');
  const cost = { memory: Number(memory), passes: Number(passes), lanes: Number(lanes) };
  return timingSafeEqual(await derive(argon, password, Buffer.from(salt, 'base64'), cost, expected.length), expected);
}

/** NFKC makes equal characters from different keyboards equal. */
async function derive(argon: Argon, password: string, salt: Buffer, cost: Cost, hashLength: number): Promise<Buffer> {
  return Buffer.from(await argon({ password: password.normalize('NFKC'), salt, hashLength, ...cost }));
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
