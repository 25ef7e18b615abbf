/** Task statuses of jobs outside the catalog. */
import type { Prisma } from '../../generated/prisma/client.ts';
import { readerBy } from '../../infra/postgres/by-keys.sql.ts';
import type { Db, Sql } from '../../infra/postgres/db.ts';
import { type DatasetFacts, FACTS } from '../document/record.ts';

const TASK = {
  id: true,
  entityId: true,
  entityType: true,
  taskType: true,
  key: true,
  value: true,
  state: true,
  error: true,
  updatedAt: true,
} satisfies Prisma.TaskStatusSelect;
export type TaskRecord = Prisma.TaskStatusGetPayload<{ select: typeof TASK }>;

/** The unique key of a status. */
export type TaskKey = Pick<TaskRecord, 'entityId' | 'taskType' | 'key'>;

/** A status to write; undefined keeps a field. */
export type TaskValues = TaskKey &
  Pick<TaskRecord, 'entityType' | 'updatedAt'> &
  Partial<Pick<TaskRecord, 'value' | 'state' | 'error'>>;

const tasks = { table: 'task_status', fields: TASK };
const readTasks = readerBy<TaskRecord>({ ...tasks, by: ['id'] });
const readTasksByKey = readerBy<TaskRecord>({ ...tasks, by: ['entityId'], and: ['taskType', 'key'] });
const readTasksOf = readerBy<TaskRecord>({ ...tasks, by: ['entityId'], order: ['taskType', 'key'] });

export const findTask = async (sql: Sql, id: string): Promise<TaskRecord | null> =>
  (await readTasks(sql, [id]))[0] ?? null;

export const findTaskByKey = async (sql: Sql, { entityId, taskType, key }: TaskKey): Promise<TaskRecord | null> =>
  (await readTasksByKey(sql, [entityId], taskType, key))[0] ?? null;

/** All statuses of an entity, by type and key. */
export const listTasks = (sql: Sql, entityId: string): Promise<TaskRecord[]> => readTasksOf(sql, [entityId]);

/** Adds a status, or changes the one with its key, which keeps its id. */
export function putTask(db: Db, id: string, values: TaskValues): Promise<TaskRecord> {
  const { entityId, taskType, key } = values;
  const where = { entityId_taskType_key: { entityId, taskType, key } };
  return db.taskStatus.upsert({ select: TASK, where, create: { ...values, id }, update: values });
}

/** Changes a status by its id; null for an unknown one. */
export const updateTask = async (db: Db, id: string, data: TaskValues): Promise<TaskRecord | null> =>
  (await db.taskStatus.updateManyAndReturn({ select: TASK, where: { id }, data }))[0] ?? null;

/** False if there was none. */
export const deleteTask = async (db: Db, id: string): Promise<boolean> =>
  (await db.taskStatus.deleteMany({ where: { id } })).count > 0;

const readFacts = readerBy<DatasetFacts>({
  table: 'dataset',
  fields: FACTS,
  by: ['id'],
  through: { table: 'resource', field: 'datasetId' },
});

/** The facts of the dataset with this id, or of the dataset of the resource with this id; null for every other entity. */
export async function findEntityDataset(sql: Sql, id: string): Promise<DatasetFacts | null> {
  const found = await readFacts(sql, [id]);
  return found.find((dataset) => dataset.id === id) ?? found[0] ?? null;
}
