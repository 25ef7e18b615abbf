/** Parameter readers of package_revise: dictionaries, also as JSON text, and flattened keys such as `update__resources__0__name`. */
import type { DocumentValueInput, ResourceUploadInput } from '../../../src/generated/operations.ts';
import { jsonIn } from '../../../src/records/form/readers.ts';
import { UploadedFile } from '../../shared/multipart.ts';
import type { Raw } from '../define.ts';
import type { Param } from '../params.ts';

/** Keys that accept a file. */
export const UPLOADS = /^update__resources__(.+)__upload$/;

/** A dictionary, or its JSON text. Other values stay unchanged, so that the catalog refuses them by name. */
export const dictionary = (about: string): Param<unknown> => ({
  type: 'dictionary',
  required: false,
  about,
  read: (raw) => jsonOf(raw),
});

/** Parses text that starts like JSON. Numbers keep their digits. */
function jsonOf(raw: unknown): unknown {
  if (typeof raw !== 'string' || !/^\s*([[{"]|(true|false|null)\s*$)/.test(raw)) return raw;
  try {
    return jsonIn(raw);
  } catch {
    return raw;
  }
}

/** Values of flattened keys with this prefix in order, without files. */
export const flattened = (raw: Raw, prefix: 'match__' | 'update__'): DocumentValueInput[] =>
  Object.keys(raw)
    .filter((key) => key.startsWith(prefix) && !UPLOADS.test(key))
    .map((key) => ({ path: key.slice(prefix.length), value: jsonOf(raw[key]) }));

/** Files by the resource they belong to. Ignores a text instead of a file. */
export const uploadsOf = (raw: Raw): ResourceUploadInput[] =>
  Object.entries(raw).flatMap(([key, file]) => {
    const resource = UPLOADS.exec(key)?.[1];
    return resource && file instanceof UploadedFile && file.token !== null
      ? [{ resource, upload: { token: file.token, name: file.filename } }]
      : [];
  });
