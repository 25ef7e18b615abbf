/** Parses a resource's hash when its algorithm is known: explicitly, from a prefix, or from the number of digits. Pure. */

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

/** `algorithm`: a name in SPDX notation or common spelling (`SHA-256`). Null when unknown, or when the hash is malformed. */
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
