/** Parameter readers of the related item actions. */
import type { RelatedItemListOrder } from '../../../src/generated/operations.ts';
import { absent, asText, type Param } from '../params.ts';

const ORDERS: Readonly<Record<string, RelatedItemListOrder>> = {
  created_asc: 'CREATED_ASC',
  created_desc: 'CREATED_DESC',
  view_count_asc: 'VIEW_COUNT_ASC',
  view_count_desc: 'VIEW_COUNT_DESC',
};

/** A sort order by its wire name. By the contract, null for none and for unknown words. */
export const relatedOrder = (about: string): Param<RelatedItemListOrder | null> => ({
  type: 'string',
  required: false,
  about,
  read: (raw) => (typeof raw === 'string' && Object.hasOwn(ORDERS, raw) ? ORDERS[raw]! : null),
});

/** A dataset as a dictionary with its id or name; undefined when omitted. */
export const datasetDict = (about: string): Param<string | undefined> => ({
  type: 'dictionary',
  required: false,
  about,
  read(raw) {
    if (absent(raw)) return undefined;
    if (typeof raw !== 'object' || Array.isArray(raw)) return asText(raw);
    const { id, name } = raw as Record<string, unknown>;
    return asText(id ?? name ?? '');
  },
});
