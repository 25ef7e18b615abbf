import { describe, expect, it } from '@jest/globals';
import { hashPassword, verifyPassword } from '../../../src/accounts/password/password.ts';

describe('hashPassword', () => {
  it('gives a PHC string of Argon2id with 19 MiB, two passes and one lane', async () => {
    expect(await hashPassword('correct horse')).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
    );
  });

  it('salts: the same password gives another text', async () => {
    expect(await hashPassword('correct horse')).not.toBe(await hashPassword('correct horse'));
  });
});

describe('verifyPassword', () => {
  it('knows the password again and no other', async () => {
    const hash = await hashPassword('correct horse');
    expect(await verifyPassword('correct horse', hash)).toBe(true);
    expect(await verifyPassword('correct horsf', hash)).toBe(false);
    expect(await verifyPassword('', hash)).toBe(false);
  });

  it('takes characters for equal that are typed differently', async () => {
    expect(await verifyPassword('cafe\u0301 au lait', await hashPassword('café au lait'))).toBe(true);
  });

  it('is false without a hash, and with one that is no Argon2id', async () => {
    for (const hash of [null, '', 'secret', '$2b$10$abcdefghijklmnopqrstuv', '$argon2id$v=19$m=8,t=1,p=1$']) {
      expect(await verifyPassword('secret', hash)).toBe(false);
    }
  });
});
