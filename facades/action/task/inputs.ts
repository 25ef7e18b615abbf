/** Converts task status dictionaries to the graph's inputs. */
import type { UpdateTaskStatusInput } from '../../../src/generated/operations.ts';
import { CatalogError, invalid, invalidField, type Problem } from '../../../src/kernel/errors.ts';
import type { Raw } from '../define.ts';
import { absent, asText, neededText, type Param, text } from '../params.ts';

const INSTANT = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/** An ISO date or time, in UTC without a zone, as in the graph. @throws CatalogError VALIDATION */
const instant = (about: string): Param<string | null | undefined> => ({
  type: 'string',
  required: false,
  about,
  read(raw, name) {
    if (absent(raw)) return undefined;
    const given = asText(raw);
    const at = new Date(
      /(Z|[+-]\d\d:?\d\d)$/.test(given.slice(10)) ? given : `${given.replace(' ', 'T')}${given.length > 10 ? 'Z' : ''}`,
    );
    if (!INSTANT.test(given) || Number.isNaN(at.getTime())) throw invalidField(name, 'Date format incorrect');
    return at.toISOString();
  },
});

/** A text; null clears it, an omitted one stays unchanged. */
const clearable = (about: string): Param<string | null | undefined> => ({
  ...text(about),
  read: (raw) => (raw === undefined ? undefined : raw === null ? null : asText(raw)),
});

export const taskParams = {
  id: text('Id of the status to change. Without it, `entity_id`, `task_type` and `key` identify the status.'),
  entity_id: neededText('Id of the object of the task.'),
  entity_type: neededText('Type of the object, such as resource.'),
  task_type: neededText('Type of the task.'),
  key: neededText('Key of the status within the task.'),
  value: clearable('Value of the status.'),
  state: clearable('State of the task.'),
  last_updated: instant('Time of the status, in ISO 8601. Default: now.'),
  error: clearable('Error of the task.'),
};

type Read = { [K in keyof typeof taskParams]: ReturnType<(typeof taskParams)[K]['read']> };

export const taskFields = (p: Read): UpdateTaskStatusInput => ({
  id: p.id || undefined,
  entityId: p.entity_id,
  entityType: p.entity_type,
  taskType: p.task_type,
  key: p.key,
  value: p.value,
  state: p.state,
  error: p.error,
  updatedAt: p.last_updated,
});

/** A list of task status dictionaries. @throws CatalogError VALIDATION for all unreadable values */
export const tasks: Param<UpdateTaskStatusInput[]> = {
  type: 'list of dictionaries',
  required: true,
  about: 'Statuses, each as for task_status_update.',
  read(raw, name) {
    if (absent(raw)) throw invalidField(name, 'Missing value');
    if (!Array.isArray(raw)) throw invalidField(name, 'Must be a list of dictionaries');
    const problems: Problem[] = [];
    const read = raw.map((item, at) => readOne(item, [name, at], problems));
    if (problems.length > 0) throw invalid(problems);
    return read as UpdateTaskStatusInput[];
  },
};

function readOne(item: unknown, at: (string | number)[], problems: Problem[]): UpdateTaskStatusInput | null {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) {
    problems.push({ path: at, message: 'Must be a dictionary' });
    return null;
  }
  const read: Record<string, unknown> = {};
  for (const [key, param] of Object.entries(taskParams)) {
    try {
      read[key] = param.read((item as Raw)[key], key);
    } catch (thrown) {
      if (!(thrown instanceof CatalogError)) throw thrown;
      problems.push(...thrown.problems.map((problem) => ({ ...problem, path: [...at, ...problem.path] })));
    }
  }
  return taskFields(read as Read);
}
