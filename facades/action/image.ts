/** Image parameters of groups, organizations and users. */

import { asFlag, type Raw } from '../../src/records/form/readers.ts';
import { imageFields } from '../shared/wire/image.ts';
import { file, flag, text } from './params.ts';

export const imageParams = {
  image_url: text('URL of an image. An http or https URL, or an empty value, replaces an uploaded image.'),
  image_upload: file('Image to upload, in a multipart request: PNG, JPEG, GIF, WebP or AVIF.'),
};

/** Accompanies `image_upload` where an image may already exist. */
export const imageClear = { clear_upload: flag('Deletes the uploaded image.') };

/** Image change in the dictionary of an existing object. */
export const imageChange = (dictionary: Raw) => ({
  ...imageFields(dictionary),
  clearUpload: asFlag(dictionary.clear_upload ?? false),
});
