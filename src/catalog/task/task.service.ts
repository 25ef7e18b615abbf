/** Task statuses: written frequently by sysadmins' jobs, so they make no revisions. */
import { type Call, inTransaction } from '../../kernel/call.ts';
import { allow, limitAt, notAllowedTo, notAuthorized, notFound, refuse } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { mayReadDataset } from '../dataset/dataset.policy.ts';
import { mayWriteTasks } from './task.policy.ts';
import { checkTask, checkTaskKey, type TaskInput } from './task.rules.ts';
import {
  deleteTask,
  findEntityDataset,
  findTask,
  findTaskByKey,
  listTasks,
  putTask,
  type TaskKey,
  type TaskRecord,
  updateTask,
} from './task.store.ts';

type Requested = { [Field in keyof TaskKey]?: string | null } & { readonly id?: string | null };

/** One status, by id or by its whole key. @throws CatalogError VALIDATION, NOT_FOUND, NOT_AUTHORIZED */
export async function taskShow(call: Call, { id, ...key }: Requested): Promise<TaskRecord> {
  if (!id) refuse(checkTaskKey(key));
  const found = id ? await findTask(call.sql, id) : await findTaskByKey(call.sql, key as TaskKey);
  if (!found) throw notFound();
  if ((await allowEntity(call, found.entityId, 'read this task status')) || isForAll(call, found)) return found;
  throw notFound();
}

/** All statuses of an entity, by type and key; empty for an unknown entity. @throws CatalogError NOT_AUTHORIZED */
export async function taskList(call: Call, { entityId }: { entityId: string }): Promise<TaskRecord[]> {
  const isThere = await allowEntity(call, entityId, `read ${entityId}`);
  return (await listTasks(call.sql, entityId)).filter((task) => isThere || isForAll(call, task));
}

/** Adds a status, or changes the one with its key or id. @throws CatalogError NOT_AUTHORIZED, NOT_FOUND, VALIDATION, CONFLICT */
export async function taskUpdate(call: Call, input: TaskInput): Promise<TaskRecord> {
  allowWriting(call);
  return inTransaction(call, (call) => write(call, input, []));
}

/** The same for many statuses, atomically. @throws CatalogError as taskUpdate, LIMIT */
export async function tasksUpdate(call: Call, { statuses }: { statuses: readonly TaskInput[] }): Promise<TaskRecord[]> {
  allowWriting(call);
  const max = call.settings['catalog.limits.rows'];
  if (statuses.length > max) {
    throw limitAt('statuses', `At most ${max} statuses (got ${statuses.length}; catalog.limits.rows)`);
  }
  return inTransaction(call, async (call) => {
    refuse(statuses.flatMap((status, at) => checkTask(status, ['statuses', at])));
    const written: TaskRecord[] = [];
    for (const [at, status] of statuses.entries()) written.push(await write(call, status, ['statuses', at]));
    return written;
  });
}

/** Deletes a status and returns its id. @throws CatalogError NOT_AUTHORIZED, NOT_FOUND */
export async function taskDelete(call: Call, { taskId }: { taskId: string }): Promise<string> {
  allowWriting(call);
  if (!(await deleteTask(call.db, taskId))) throw notFound();
  return taskId;
}

async function write(call: Call, input: TaskInput, at: readonly (string | number)[]): Promise<TaskRecord> {
  const { id, updatedAt, ...fields } = input;
  if (id && !(await findTask(call.sql, id))) throw missing();
  refuse(checkTask(input, at));
  const values = { ...fields, updatedAt: updatedAt ?? call.request.now };
  if (!id) return putTask(call.db, newId(), values);
  const task = await updateTask(call.db, id, values);
  if (!task) throw missing();
  return task;
}

const missing = () => notFound('TaskStatus was not found.');

function allowWriting({ actor }: Call): void {
  allow(mayWriteTasks(actor));
}

/**
 * True for statuses that everyone may read. Those of a removed dataset or resource are excluded, because its readers
 * are no longer known.
 */
const isForAll = ({ actor }: Call, { entityType }: TaskRecord): boolean =>
  actor.sysadmin || !['dataset', 'package', 'resource'].includes(entityType.trim().toLowerCase());

/**
 * Checks the entity's policy; `what` ends the error message, in the words of the request. True for a dataset or
 * resource: only its readers may read its statuses. @throws CatalogError NOT_AUTHORIZED
 */
async function allowEntity(call: Call, entityId: string, what: string): Promise<boolean> {
  const dataset = await findEntityDataset(call.sql, entityId);
  if (dataset && mayReadDataset(call.actor, dataset, call.settings) !== null)
    throw notAuthorized(notAllowedTo(call.actor, what));
  return dataset !== null;
}
