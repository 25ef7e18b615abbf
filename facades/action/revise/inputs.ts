/** Readers of package_revise: dictionaries that may come as JSON text, and flattened keys such as `update__resources__0__name`. */
import type { DocumentValueInput, ResourceUploadInput } from '../../../src/generated/operations.ts';
import { UploadedFile } from '../../shared/multipart.ts';
import { jsonIn } from '../../shared/wire/readers.ts';
import type { Raw } from '../define.ts';
import type { Param } from '../params.ts';

/** Keys that take a file. */
export const UPLOADS = /^update__resources__(.+)__upload$/;

/** A dictionary, or one as JSON text; what is neither goes on as it is, to be refused by name. */
export const dictionary = (about: string): Param<unknown> => ({
  type: 'dictionary',
  required: false,
  about,
  read: (raw) => jsonOf(raw),
});

/** JSON in a text where it says so by its first character; numbers stay as they are written. */
function jsonOf(raw: unknown): unknown {
  if (typeof raw !== 'string' || !/^\s*([[{"]|(true|false|null)\s*$)/.test(raw)) return raw;
  try {
    return jsonIn(raw);
  } catch {
    return raw;
  }
}

/** Values of the flattened keys that begin with this, files aside, in their order. */
export const flattened = (raw: Raw, prefix: 'match__' | 'update__'): DocumentValueInput[] =>
  Object.keys(raw)
    .filter((key) => key.startsWith(prefix) && !UPLOADS.test(key))
    .map((key) => ({ path: key.slice(prefix.length), value: jsonOf(raw[key]) }));

/** Files by the resource that gets each. A text in the place of a file is left aside. */
export const uploadsOf = (raw: Raw): ResourceUploadInput[] =>
  Object.entries(raw).flatMap(([key, file]) => {
    const resource = UPLOADS.exec(key)?.[1];
    return resource && file instanceof UploadedFile && file.token !== null
      ? [{ resource, upload: { token: file.token, name: file.filename } }]
      : [];
  });
