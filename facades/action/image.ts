/** Image parameters of groups, organizations and users, and their inputs of the graph. */
import type { UploadInput } from '../../src/generated/operations.ts';
import { asFlag, asText, type Raw } from '../../src/records/form/readers.ts';
import { UploadedFile } from '../shared/multipart.ts';
import { file, flag, text } from './params.ts';

export const imageParams = {
  image_url: text('URL of an image. An http or https URL, or an empty value, replaces an uploaded image.'),
  image_upload: file('Image to upload, in a multipart request: PNG, JPEG, GIF, WebP or AVIF.'),
};

/** Accompanies `image_upload` where an image may already exist. */
export const imageClear = { clear_upload: flag('Deletes the uploaded image.') };

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

/** Image change in the dictionary of an existing object. */
export const imageChange = (dictionary: Raw) => ({
  ...imageFields(dictionary),
  clearUpload: asFlag(dictionary.clear_upload ?? false),
});
