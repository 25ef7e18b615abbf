/** Images of groups, organizations and users on the wire. */
import type { UploadInput } from '../../../src/generated/operations.ts';
import { UploadedFile } from '../multipart.ts';
import { asText, type Raw } from './readers.ts';

/** What a dictionary says of an image; what is left out stays left out, and so does a text in a file's place. */
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
