/** Writes the change log. */
import type { Sql, Statement } from '../kernel/db.ts';

export interface ChangeRecord {
  objectType:
    | 'dataset'
    | 'group'
    | 'organization'
    | 'user'
    | 'vocabulary'
    | 'tag'
    | 'related'
    | 'rating'
    | 'translation'
    | 'view'
    | 'setting'
    | 'table';
  objectId: string;
  /** noted: nothing changed, somebody wrote an activity about the object. */
  action: 'created' | 'updated' | 'deleted' | 'restored' | 'purged' | 'noted';
  /** What a reader needs when the object is gone (name, title), and what changed. */
  detail: Record<string, unknown>;
  /** Id (newId) of the activity that it makes in streams; left out where it makes none. */
  activityId?: string | undefined;
  /** Who did it, where that is not the revision's author. */
  actorId?: string | undefined;
}

export interface RevisionRecord {
  id: string;
  at: Date;
  authorId: string | null;
  author: string;
  message: string;
  changes: ChangeRecord[];
  /** Groups and organizations into which a dataset came or out of which it went. */
  groupIds: readonly string[];
}

const insert: Statement = {
  name: 'insert_revision',
  text: `WITH written AS (INSERT INTO revision (id, created_at, author_id, author, message) VALUES ($1, $2, $3, $4, $5)),
      concerned AS (INSERT INTO revision_group (revision_id, group_id) SELECT DISTINCT $1, unnest($7::text[]))
    INSERT INTO change (revision_id, created_at, actor_id, object_type, object_id, action, detail, activity_id)
    SELECT $1, $2, coalesce(c.actor_id, $3), c.object_type, c.object_id, c.action, c.detail, c.activity_id
    FROM jsonb_to_recordset($6::jsonb)
      AS c(object_type text, object_id text, action text, detail jsonb, activity_id text, actor_id text)`,
};

/** Writes one revision, its changes and whom it concerns in one statement. */
export async function insertRevision(sql: Sql, revision: RevisionRecord): Promise<void> {
  const changes = revision.changes.map((c) => ({
    object_type: c.objectType,
    object_id: c.objectId,
    action: c.action,
    detail: c.detail,
    activity_id: c.activityId,
    actor_id: c.actorId,
  }));
  await sql.rows(insert, [
    revision.id,
    revision.at,
    revision.authorId,
    revision.author,
    revision.message,
    JSON.stringify(changes),
    revision.groupIds,
  ]);
}
