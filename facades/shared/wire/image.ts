/** Converts images of groups, organizations and users to the graph's inputs. */
import type { UploadInput } from '../../../src/generated/operations.ts';
import { asText, type Raw } from '../../../src/records/form/readers.ts';
import { UploadedFile } from '../multipart.ts';

/** Image fields of a dictionary. Omitted ones stay undefined; a text instead of a file is ignored. */
export function imageFields({ image_url: url, image_upload: upload }: Raw): {
  imageUrl?: string | null;
  imageUpload?: UploadInput;
} {
  return {
    ...(url !== undefined && { imageUrl: url === null ? null : asText(url) }),
    ...(upload instanceof UploadedFile &&
      upload.token !== null && { imageUpload: { token: upload.token, name: upload.filename } }),
  };
}
