import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { inOrder } from '../../kernel/node.ts';
import { type FileRecord, listFiles } from './file.store.ts';
import { type ImageRecord, listImages } from './image.store.ts';

export const fileLoaders = ({ db, sql }: Call) => ({
  /** The file of a resource; null for a link. */
  fileByResource: new DataLoader<string, FileRecord | null>(async (ids) =>
    inOrder(ids, await listFiles(sql, ids), (file) => file.resourceId),
  ),
  /** The stored image of a group or organization; null without one. */
  imageByGroup: new DataLoader<string, ImageRecord | null>(async (ids) =>
    inOrder(ids, await listImages(db, 'group', ids), (image) => image.ownerId),
  ),
  /** The stored image of a user; null without one. */
  imageByUser: new DataLoader<string, ImageRecord | null>(async (ids) =>
    inOrder(ids, await listImages(db, 'user', ids), (image) => image.ownerId),
  ),
});
