/** What a task status must say. Pure. */
import type { Problem } from '../../kernel/errors.ts';

/** A status as it is asked for; what is undefined stays as it was. */
export interface TaskInput {
  readonly databaseId?: string | null;
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

/** All that is missing. */
export const checkTask = (task: TaskInput, at: readonly (string | number)[]): Problem[] =>
  NEEDED.filter((field) => task[field] === '').map((field) => ({ path: [...at, field], message: 'Missing value' }));

/** What a look-up without an id needs; one problem at a time, as recorded. */
export function checkTaskKey(by: {
  entityId?: string | null;
  taskType?: string | null;
  key?: string | null;
}): Problem[] {
  const missing = (['entityId', 'taskType', 'key'] as const).find((field) => !by[field]);
  return missing ? [{ path: [missing], message: 'Missing value' }] : [];
}
