/** Activity types of the graph, derived from log entries. */
import type { Problem } from '../../kernel/errors.ts';

export type StreamedType = 'dataset' | 'user' | 'group' | 'organization' | 'related';
type Changed = `${'DATASET' | 'GROUP' | 'ORGANIZATION' | 'RELATED_ITEM'}_${'CREATED' | 'CHANGED' | 'DELETED'}`;
export type ActivityType = Changed | 'USER_CREATED' | 'USER_CHANGED' | `${'DATASET' | 'USER' | 'GROUP'}_FOLLOWED`;

/** The log entry of an activity. */
export interface Logged {
  readonly objectType: StreamedType;
  readonly action: string;
  readonly detail: {
    /** True when the dataset was a draft before. */
    readonly published?: boolean;
    /** The content of an activity that a program wrote. */
    readonly noted?: { readonly type: ActivityType; readonly data: unknown };
  };
}

const WORDS: Readonly<Record<string, string>> = { created: 'CREATED', deleted: 'DELETED' };

/** The activity type of a log entry. */
export function typeOf({ objectType, action, detail }: Logged): ActivityType {
  if (detail.noted) return detail.noted.type;
  const word = detail.published ? 'CREATED' : (WORDS[action] ?? 'CHANGED');
  return `${objectType === 'related' ? 'RELATED_ITEM' : objectType.toUpperCase()}_${word}` as ActivityType;
}

/** The kind of object of an activity type. Groups and organizations are looked up alike, related items with their dataset. */
export function kindOf(type: ActivityType): 'USER' | 'DATASET' | 'GROUP' {
  if (type.startsWith('DATASET_') || type.startsWith('RELATED_ITEM_')) return 'DATASET';
  return type.startsWith('USER_') ? 'USER' : 'GROUP';
}

/** The data of a written activity must be an object, because readers of streams expect one. */
export const checkData = (data: unknown): Problem[] =>
  data === null || data === undefined || (typeof data === 'object' && !Array.isArray(data))
    ? []
    : [{ path: ['data'], message: 'Must be a JSON object' }];

/** Both must exist. */
export const checkNoted = (user: unknown, object: unknown, kind: 'USER' | 'DATASET' | 'GROUP'): Problem[] => [
  ...(user ? [] : [{ path: ['userId'], message: 'Not found: User' }]),
  ...(object ? [] : [{ path: ['objectId'], message: `Not found: ${kind.charAt(0)}${kind.slice(1).toLowerCase()}` }]),
];
