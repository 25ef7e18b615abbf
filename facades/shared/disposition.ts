import { encodeExtended } from 'content-disposition';
import { withoutUnseen } from '../../src/infra/files/names.ts';

/** Content-Disposition with the name in both forms: ASCII, and UTF-8 by RFC 5987. Names of older files can contain any character. */
export function dispositionOf(given: string, shown: boolean): string {
  const name = withoutUnseen(given);
  const ascii = name
    .normalize('NFKD')
    .replace(/[^\x20-\x7e]/g, '')
    .replace(/["\\%]/g, '_')
    .replace(/^(?=\.|$)/, 'file');
  return `${shown ? 'inline' : 'attachment'}; filename="${ascii}"; filename*=${encodeExtended(name)}`;
}
