/** Images of groups, organizations and users on the wire. */
import type { UploadInput } from '../../../src/generated/operations.ts';
import type { Raw } from '../define.ts';
import { asFlag, asText, file, flag, text } from '../params.ts';

export const imageParams = {
  image_url: text(
    'Address of an image. An image that is kept here stays, unless this is an http or https address, or empty.',
  ),
  image_upload: file('Image to keep, in a multipart request: PNG, JPEG, GIF, WebP or AVIF.'),
};

/** Beside `image_upload`, where there may be an image already. */
export const imageClear = { clear_upload: flag('Takes the image away that is kept here.') };

/** What a dictionary says of an image; what is left out stays left out. */
export function imageFields(dictionary: Raw): { imageUrl?: string | null; imageUpload?: UploadInput } {
  const { image_url: url } = dictionary;
  const upload = imageParams.image_upload.read(dictionary.image_upload, 'image_upload');
  return {
    ...(url !== undefined && { imageUrl: url === null ? null : asText(url) }),
    ...(upload && { imageUpload: upload }),
  };
}

/** The same, of something that may have an image already. */
export const imageChange = (dictionary: Raw) => ({
  ...imageFields(dictionary),
  clearUpload: asFlag(dictionary.clear_upload ?? false),
});
