import DataLoader from 'dataloader';
import type { Call } from '../../kernel/call.ts';
import { inOrder } from '../../kernel/node.ts';
import { type FileRecord, listFiles } from './file.store.ts';

export const fileLoaders = ({ sql }: Call) => ({
  /** The file of a resource; null for a link. */
  fileByResource: new DataLoader<string, FileRecord | null>(async (ids) =>
    inOrder(ids, await listFiles(sql, ids), (file) => file.resourceId),
  ),
});
