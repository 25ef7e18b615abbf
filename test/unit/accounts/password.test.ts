import { afterAll, describe, expect, it } from '@jest/globals';
import { argonThreads } from '../../../src/accounts/password/argon.ts';
import { hashPassword, verifyPassword } from '../../../src/accounts/password/password.ts';

const { derive, close } = argonThreads();
afterAll(close);

describe('hashPassword', () => {
  it('returns an Argon2id PHC string with 19 MiB, two passes and one lane', async () => {
    expect(await hashPassword(derive, 'correct horse')).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
    );
  });

  it('salts each hash, so that equal passwords have different hashes', async () => {
    expect(await hashPassword(derive, 'correct horse')).not.toBe(await hashPassword(derive, 'correct horse'));
  });
});

describe('verifyPassword', () => {
  it('accepts only the correct password', async () => {
    const hash = await hashPassword(derive, 'correct horse');
    expect(await verifyPassword(derive, 'correct horse', hash)).toBe(true);
    expect(await verifyPassword(derive, 'correct horsf', hash)).toBe(false);
    expect(await verifyPassword(derive, '', hash)).toBe(false);
  });

  it('treats composed and decomposed characters as equal', async () => {
    expect(await verifyPassword(derive, 'cafe\u0301 au lait', await hashPassword(derive, 'café au lait'))).toBe(true);
  });

  it('returns false without a valid Argon2id hash', async () => {
    for (const hash of [null, '', 'secret', '$2b$10$abcdefghijklmnopqrstuv', '$argon2id$v=19$m=8,t=1,p=1$']) {
      expect(await verifyPassword(derive, 'secret', hash)).toBe(false);
    }
  });
});
