import type { FilesReport } from '../catalog/file/check.service.ts';

/** The result of a check of files, one line each. */
export const linesOf = ({ missing, orphans }: FilesReport): string[] => [
  ...missing.map(({ owner, ownerId, key }) => `missing: the file of ${owner} ${ownerId}, ${key}`),
  ...orphans.map(({ name, size, modified }) => `unreferenced: ${name}, ${size} bytes, ${modified.toISOString()}`),
];
