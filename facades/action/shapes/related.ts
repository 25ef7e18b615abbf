/** Related items as the wire has them. */
import type { ActionRelatedDictFragment } from '../../../src/generated/operations.ts';
import { wireTime } from '../../shared/wire/time.ts';

/** A related item dictionary; `featured` is 0 or 1. */
export const relatedDict = ({ version: _version, ...item }: ActionRelatedDictFragment & { version?: number }) => ({
  ...item,
  featured: item.featured ? 1 : 0,
  created: wireTime(item.created),
});
