/** What a resource's hash says, where its algorithm is known: it was said, stands before the digits, or their number tells. Pure. */

export interface Checksum {
  readonly algorithm: string;
  /** Hexadecimal, lower case. */
  readonly digits: string;
}

const BY_LENGTH: Readonly<Record<number, string>> = {
  32: 'md5',
  40: 'sha1',
  64: 'sha256',
  96: 'sha384',
  128: 'sha512',
};
const KNOWN = /^(md5|sha1|sha224|sha256|sha384|sha512)$/;

/** `algorithm`: by its name, in SPDX's way or as people write it (`SHA-256`). Null where it is not known, or the hash is none. */
export function checksumOf(hash: unknown, algorithm: unknown): Checksum | null {
  const [, prefix, digits] = /^\s*(?:([\w-]+):)?([0-9a-f]+)\s*$/i.exec(String(hash ?? '')) ?? [];
  if (digits === undefined || digits.length % 2 === 1) return null;
  const name = String(algorithm ?? prefix ?? BY_LENGTH[digits.length] ?? '')
    .replace(/^.*[#_]/, '')
    .toLowerCase()
    .replaceAll('-', '')
    .replace(/^checksumalgorithm/, '');
  return KNOWN.test(name) ? { algorithm: name, digits: digits.toLowerCase() } : null;
}
