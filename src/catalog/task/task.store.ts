/** Task statuses of jobs outside the catalog. */
import type { Prisma } from '../../generated/prisma/client.ts';
import type { Db } from '../../infra/postgres/db.ts';
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

export const findTask = (db: Db, id: string): Promise<TaskRecord | null> =>
  db.taskStatus.findUnique({ select: TASK, where: { id } });

export const findTaskByKey = (db: Db, { entityId, taskType, key }: TaskKey): Promise<TaskRecord | null> =>
  db.taskStatus.findUnique({ select: TASK, where: { entityId_taskType_key: { entityId, taskType, key } } });

/** All statuses of an entity, by type and key. */
export const listTasks = (db: Db, entityId: string): Promise<TaskRecord[]> =>
  db.taskStatus.findMany({ select: TASK, where: { entityId }, orderBy: [{ taskType: 'asc' }, { key: 'asc' }] });

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

/** The facts of the dataset with this id, or of the dataset of the resource with this id; null for every other entity. */
export async function findEntityDataset(db: Db, id: string): Promise<DatasetFacts | null> {
  const dataset = await db.dataset.findUnique({ select: FACTS, where: { id } });
  if (dataset) return dataset;
  const select = { dataset: { select: FACTS } };
  return (await db.resource.findUnique({ relationLoadStrategy: 'join', select, where: { id } }))?.dataset ?? null;
}
