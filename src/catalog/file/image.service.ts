/** Images of groups, organizations and users: taken in like files of resources, but only when their bytes are an image. */
import { randomInt } from 'node:crypto';
import { afterCommit, type Call } from '../../kernel/call.ts';
import { CatalogError, type Problem } from '../../kernel/errors.ts';
import { type NewFile, removeDiscarded, settleFile, type UploadInput, withUpload } from './file.service.ts';
import { draftImageUrl, type ImageChange, type ImageOwner, imageName, imageTypeOf, NO_IMAGE } from './image.rules.ts';
import { deleteImage, findImage, type ImageRecord, listImages, putImage } from './image.store.ts';

export type { ImageRecord } from './image.store.ts';

/** An image as somebody may look at it. */
export interface ShownImage extends ImageRecord {
  /** Whether everybody may. */
  readonly isPublic: boolean;
}

/** An image that came in and shall be kept. */
export interface NewImage extends NewFile {
  readonly mediaType: string;
}

/** What mutations say of an image. */
export interface ImageInput {
  readonly imageUrl?: string | null | undefined;
  readonly imageUpload?: UploadInput | null | undefined;
  readonly clearUpload?: boolean | null | undefined;
}

/**
 * What came in, as an image; beside it what is wrong with it. Nothing is wrong with nothing.
 * @throws CatalogError LIMIT when it is too large
 */
export async function checkImage(
  call: Call,
  file: NewFile | null,
): Promise<{ image: NewImage | null; problems: Problem[] }> {
  if (!file) return { image: null, problems: [] };
  const limit = call.settings['catalog.limits.image'];
  if (file.size > limit) {
    const message = `The image exceeds ${limit} bytes (catalog.limits.image)`;
    throw new CatalogError('LIMIT', message, [{ path: ['imageUpload'], message }]);
  }
  const type = imageTypeOf(file.start);
  if (!type) return { image: null, problems: [{ path: ['imageUpload'], message: NO_IMAGE }] };
  const digits = String(randomInt(10 ** 9)).padStart(9, '0');
  const image = { ...file, name: imageName(file.name, type, call.now, digits), mediaType: type.mediaType };
  return { image, problems: [] };
}

/** Does `work`, which may keep the image that came in (settleImage); nothing of it stays when `work` fails. @throws as withUpload */
export const withImage = <T>(
  call: Call,
  { imageUpload }: ImageInput,
  work: (file: NewFile | null) => Promise<T>,
): Promise<T> => withUpload(call, imageUpload, work, 'imageUpload');

/** The imageUrl that an owner shall have; `existing` is the owner as it is, null for a new one. */
export async function imageUrlAfter(
  call: Call,
  owner: ImageOwner,
  existing: ImageOwnerRow | null,
  { imageUrl: given, clearUpload }: ImageInput,
  image: NewImage | null,
): Promise<string> {
  const change: ImageChange = { given, upload: image?.name, clear: clearUpload ?? false };
  const asked = !image && (given !== undefined || change.clear);
  const [stored] = existing?.imageUrl && asked ? await listImages(call.db, owner, [existing.id]) : [];
  return draftImageUrl(existing?.imageUrl ?? '', stored !== undefined, change);
}

interface ImageOwnerRow {
  readonly id: string;
  readonly imageUrl: string;
}

/**
 * Makes the kept image of an owner what its imageUrl says now. Call it inside the transaction, when nothing can be refused
 * any more.
 */
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
    await putImage(call.db, owner, { ownerId: id, key, name, mediaType, size, createdAt: call.now });
  } else if (before && before.imageUrl !== '' && before.imageUrl !== imageUrl) await deleteImage(call.db, owner, id);
  else return;
  afterCommit(call, removeDiscarded);
}

/** The image of that name; null when no owner of this kind has it. Policy is the caller's. */
export const imageByName = (call: Call, owner: ImageOwner, name: string): Promise<ImageRecord | null> =>
  findImage(call.db, owner, name);
