import { withoutUnseen } from '../../src/infra/files/names.ts';

/** Content-Disposition with the name in both forms: ASCII, and UTF-8 as RFC 5987 writes it. Of older files, names can hold anything. */
export function dispositionOf(given: string, shown: boolean): string {
  const name = withoutUnseen(given);
  const ascii = name
    .normalize('NFKD')
    .replace(/[^\x20-\x7e]/g, '')
    .replace(/["\\%]/g, '_')
    .replace(/^(?=\.|$)/, 'file');
  const encoded = encodeURIComponent(name).replace(
    /['()*!]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${shown ? 'inline' : 'attachment'}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
