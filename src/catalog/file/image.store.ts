/** Stored images of groups, organizations and users. */
import type { Prisma } from '../../generated/prisma/client.ts';
import type { Db } from '../../infra/postgres/db.ts';
import type { ImageOwner } from './image.rules.ts';

const IMAGE = {
  key: true,
  name: true,
  groupId: true,
  userId: true,
  mediaType: true,
  size: true,
  createdAt: true,
} satisfies Prisma.ImageFileSelect;
type ImageRow = Prisma.ImageFileGetPayload<{ select: typeof IMAGE }>;

/** A stored image; another image has another key. */
export type ImageRecord = Omit<ImageRow, 'groupId' | 'userId' | 'size'> & { ownerId: string; size: number };

const idOf = (owner: ImageOwner) => (owner === 'group' ? 'groupId' : 'userId');

const imageOf = ({ groupId, userId, size, ...row }: ImageRow): ImageRecord => ({
  ...row,
  ownerId: (groupId ?? userId)!,
  size: Number(size),
});

/** Assigns an image to an owner; discards the previous one. */
export async function putImage(db: Db, owner: ImageOwner, { ownerId, ...image }: ImageRecord): Promise<void> {
  const where = owner === 'group' ? { groupId: ownerId } : { userId: ownerId };
  await db.imageFile.upsert({ select: { key: true }, where, create: { ...where, ...image }, update: image });
}

/** Discards the image of an owner. */
export const deleteImage = async (db: Db, owner: ImageOwner, ownerId: string): Promise<void> =>
  void (await db.imageFile.deleteMany({ where: { [idOf(owner)]: ownerId } }));

/** Images of these owners, unordered; owners without one are omitted. */
export const listImages = async (db: Db, owner: ImageOwner, ownerIds: readonly string[]): Promise<ImageRecord[]> =>
  (await db.imageFile.findMany({ select: IMAGE, where: { [idOf(owner)]: { in: [...ownerIds] } } })).map(imageOf);

/** The image of that name; null if no owner of this kind has it. */
export async function findImage(db: Db, owner: ImageOwner, name: string): Promise<ImageRecord | null> {
  const row = await db.imageFile.findUnique({ select: IMAGE, where: { name } });
  return row?.[idOf(owner)] == null ? null : imageOf(row);
}
