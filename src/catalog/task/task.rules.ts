/** Validation of task statuses. Pure. */
import type { Problem } from '../../kernel/errors.ts';
import { lengthOf } from '../../kernel/text.ts';

/** A status in the input; undefined fields stay unchanged. */
export interface TaskInput {
  readonly id?: string | null;
  readonly entityId: string;
  readonly entityType: string;
  readonly taskType: string;
  readonly key: string;
  readonly value?: string | null;
  readonly state?: string | null;
  readonly error?: string | null;
  readonly updatedAt?: Date | null;
}

const NEEDED = ['entityId', 'entityType', 'taskType', 'key'] as const;

/** Maximum characters of each: an index holds three of them. */
const KEY_MAX = 200;

/** All missing fields, and those that are too long. */
export const checkTask = (task: TaskInput, at: readonly (string | number)[]): Problem[] =>
  NEEDED.flatMap((field) => {
    if (task[field] === '') return [{ path: [...at, field], message: 'Missing value' }];
    if (lengthOf(task[field], KEY_MAX) <= KEY_MAX) return [];
    return [{ path: [...at, field], message: `Must be at most ${KEY_MAX} characters long` }];
  });

/** The fields that a look-up without an id requires; one problem at a time, as recorded. */
export function checkTaskKey(by: {
  entityId?: string | null;
  taskType?: string | null;
  key?: string | null;
}): Problem[] {
  const missing = (['entityId', 'taskType', 'key'] as const).find((field) => !by[field]);
  return missing ? [{ path: [missing], message: 'Missing value' }] : [];
}
