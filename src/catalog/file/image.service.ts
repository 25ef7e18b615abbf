/** Images of groups, organizations and users. Uploads are handled as files of resources, but must contain an image. */
import { randomInt } from 'node:crypto';
import { afterCommit, type Call } from '../../kernel/call.ts';
import { limitAt, type Problem } from '../../kernel/errors.ts';
import { type NewFile, removeDiscarded, settleFile, type UploadInput, withUpload } from './file.service.ts';
import { draftImageUrl, type ImageChange, type ImageOwner, imageName, imageTypeOf, NO_IMAGE } from './image.rules.ts';
import { deleteImage, findImage, type ImageRecord, listImages, putImage } from './image.store.ts';

/** An image with its visibility. */
export interface ShownImage extends ImageRecord {
  /** Whether everyone may see it. */
  readonly isPublic: boolean;
}

/** An uploaded image to store. */
export interface NewImage extends NewFile {
  readonly mediaType: string;
}

/** The image fields of mutations. */
export interface ImageInput {
  readonly imageUrl?: string | null | undefined;
  readonly imageUpload?: UploadInput | null | undefined;
  readonly clearUpload?: boolean | null | undefined;
}

/** Checks an uploaded image; returns it with its problems. No upload means no problems. @throws CatalogError LIMIT when it is too large */
export async function checkImage(
  call: Call,
  file: NewFile | null,
): Promise<{ image: NewImage | null; problems: Problem[] }> {
  if (!file) return { image: null, problems: [] };
  const limit = call.settings['catalog.limits.image'];
  if (file.size > limit) {
    throw limitAt('imageUpload', `The image exceeds ${limit} bytes (catalog.limits.image)`);
  }
  const type = imageTypeOf(file.start);
  if (!type) return { image: null, problems: [{ path: ['imageUpload'], message: NO_IMAGE }] };
  const digits = String(randomInt(10 ** 9)).padStart(9, '0');
  const image = { ...file, name: imageName(file.name, type, call.request.now, digits), mediaType: type.mediaType };
  return { image, problems: [] };
}

/** Runs `work`, which may store the uploaded image (settleImage); deletes the image if `work` fails. @throws as withUpload */
export const withImage = <T>(
  call: Call,
  { imageUpload }: ImageInput,
  work: (file: NewFile | null) => Promise<T>,
): Promise<T> => withUpload(call, imageUpload, work, 'imageUpload');

/** The imageUrl of an owner after the write; `existing` is the stored owner, null for a new one. */
export async function imageUrlAfter(
  call: Call,
  owner: ImageOwner,
  existing: ImageOwnerRow | null,
  { imageUrl: requested, clearUpload }: ImageInput,
  image: NewImage | null,
): Promise<string> {
  const change: ImageChange = { requested, upload: image?.name, clear: clearUpload ?? false };
  const isRequested = !image && (requested !== undefined || change.clear);
  const [stored] = existing?.imageUrl && isRequested ? await listImages(call.db, owner, [existing.id]) : [];
  return draftImageUrl(existing?.imageUrl ?? '', stored !== undefined, change);
}

interface ImageOwnerRow {
  readonly id: string;
  readonly imageUrl: string;
}

/** Updates the stored image of an owner to its new imageUrl. Call it inside the transaction, after every check. */
export async function settleImage(
  call: Call,
  owner: ImageOwner,
  { id, imageUrl }: ImageOwnerRow,
  before: ImageOwnerRow | null,
  image: NewImage | null,
): Promise<void> {
  if (image) {
    await settleFile(call, image, 'imageUpload');
    const { key, name, mediaType, size } = image;
    await putImage(call.db, owner, { ownerId: id, key, name, mediaType, size, createdAt: call.request.now });
  } else if (before && before.imageUrl !== '' && before.imageUrl !== imageUrl) await deleteImage(call.db, owner, id);
  else return;
  afterCommit(call, removeDiscarded);
}

/** The image of that name; null if no owner of this kind has it. The caller checks the policy. */
export const imageByName = (call: Call, owner: ImageOwner, name: string): Promise<ImageRecord | null> =>
  findImage(call.db, owner, name);
