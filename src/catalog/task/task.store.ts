/** What jobs outside the catalog say of their work. */
import type { Sql, Statement } from '../../kernel/db.ts';
import type { DatasetFacts } from '../document/record.ts';

export interface TaskRecord {
  readonly id: string;
  readonly entityId: string;
  readonly entityType: string;
  readonly taskType: string;
  readonly key: string;
  readonly value: string | null;
  readonly state: string | null;
  readonly error: string | null;
  readonly updatedAt: Date | null;
}

/** What a status is about; together unique. */
export type TaskKey = Pick<TaskRecord, 'entityId' | 'taskType' | 'key'>;

const COLUMNS = `id, entity_id AS "entityId", entity_type AS "entityType", task_type AS "taskType", key, value, state, error,
  updated_at AS "updatedAt"`;
const BY_KEY = `SELECT ${COLUMNS} FROM task_status WHERE entity_id = $1 AND task_type = $2 AND key = $3`;
const BY_ID = `SELECT ${COLUMNS} FROM task_status WHERE id = $1`;

const statements = {
  byId: { name: 'task_by_id', text: BY_ID },
  byKey: { name: 'task_by_key', text: BY_KEY },
  lockId: { name: 'task_lock_id', text: `${BY_ID} FOR UPDATE` },
  lockKey: { name: 'task_lock_key', text: `${BY_KEY} FOR UPDATE` },
  ofEntity: {
    name: 'tasks_of_entity',
    text: `SELECT ${COLUMNS} FROM task_status WHERE entity_id = $1 ORDER BY task_type COLLATE "C", key COLLATE "C"`,
  },
  insert: {
    name: 'task_insert',
    text: `INSERT INTO task_status (id, entity_id, entity_type, task_type, key, value, state, error, updated_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      ON CONFLICT (entity_id, task_type, key) DO UPDATE SET entity_type = EXCLUDED.entity_type, value = EXCLUDED.value,
        state = EXCLUDED.state, error = EXCLUDED.error, updated_at = EXCLUDED.updated_at
      RETURNING ${COLUMNS}`,
  },
  update: {
    name: 'task_update',
    text: `UPDATE task_status SET entity_id = $2, entity_type = $3, task_type = $4, key = $5, value = $6, state = $7, error = $8,
      updated_at = $9 WHERE id = $1 RETURNING ${COLUMNS}`,
  },
  remove: { name: 'task_delete', text: 'DELETE FROM task_status WHERE id = $1 RETURNING id' },
  dataset: {
    name: 'task_dataset',
    text: `SELECT id, state, private, owner_organization_id AS "ownerOrganizationId", creator_id AS "creatorId" FROM dataset
      WHERE id = $1 OR id = (SELECT dataset_id FROM resource WHERE id = $1)`,
  },
} satisfies Record<string, Statement>;

const one = async (sql: Sql, statement: Statement, values: unknown[]): Promise<TaskRecord | null> =>
  (await sql.rows<TaskRecord>(statement, values))[0] ?? null;

export const findTask = (sql: Sql, id: string): Promise<TaskRecord | null> => one(sql, statements.byId, [id]);

export const findTaskByKey = (sql: Sql, { entityId, taskType, key }: TaskKey): Promise<TaskRecord | null> =>
  one(sql, statements.byKey, [entityId, taskType, key]);

/** The same, kept from being changed until the transaction ends. */
export const lockTask = (sql: Sql, id: string): Promise<TaskRecord | null> => one(sql, statements.lockId, [id]);

export const lockTaskByKey = (sql: Sql, { entityId, taskType, key }: TaskKey): Promise<TaskRecord | null> =>
  one(sql, statements.lockKey, [entityId, taskType, key]);

/** All of an entity, by type and key. */
export const listTasks = (sql: Sql, entityId: string): Promise<TaskRecord[]> =>
  sql.rows(statements.ofEntity, [entityId]);

const valuesOf = (task: TaskRecord): unknown[] => [
  task.id,
  task.entityId,
  task.entityType,
  task.taskType,
  task.key,
  task.value,
  task.state,
  task.error,
  task.updatedAt,
];

/** Adds a status, or writes over the one with its key, which keeps its id. */
export const insertTask = async (sql: Sql, task: TaskRecord): Promise<TaskRecord> =>
  (await one(sql, statements.insert, valuesOf(task)))!;

export const updateTask = async (sql: Sql, task: TaskRecord): Promise<TaskRecord> =>
  (await one(sql, statements.update, valuesOf(task)))!;

/** False when there was none. */
export const deleteTask = async (sql: Sql, id: string): Promise<boolean> =>
  (await sql.rows(statements.remove, [id])).length > 0;

/** The facts of the dataset that an entity is, or is a resource of; null for every other entity. */
export const findEntityDataset = async (sql: Sql, entityId: string): Promise<DatasetFacts | null> =>
  (await sql.rows<DatasetFacts>(statements.dataset, [entityId]))[0] ?? null;
