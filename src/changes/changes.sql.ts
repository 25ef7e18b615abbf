/** Writes the change log. In SQL because Prisma has no CTE: one statement writes revision, changes and streams, and every write runs it. */
import type { RowOf, Sql, Statement } from '../infra/postgres/db.ts';

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
  /** noted: nothing changed, a program wrote an activity about the object. */
  action: 'created' | 'updated' | 'deleted' | 'restored' | 'purged' | 'noted';
  /** Facts for readers after the object's deletion (name, title), and the changed fields. */
  detail: Record<string, unknown>;
  /** Id (newId) of its activity in streams; undefined without one. */
  activityId?: string | undefined;
  /** The author, if different from the revision's. */
  actorId?: string | undefined;
  /** Whether everyone may read it, now and later; undefined: by the object's state after the write. */
  isPublic?: boolean | undefined;
  /** Groups and organizations in whose streams the activity stays; undefined: those of the dataset after the write. */
  streams?: readonly string[] | undefined;
}

export type RevisionRecord = RowOf<'Revision', 'id' | 'authorId' | 'author' | 'message' | 'traceparent'> & {
  at: Date;
  changes: ChangeRecord[];
  /** Groups and organizations that a dataset joined or left. */
  groupIds: readonly string[];
};

/** Kinds of objects that make a revision public. Revisions of other kinds are for sysadmins. */
const LISTED = `('dataset', 'group', 'organization', 'user', 'tag', 'vocabulary')`;

/** Whether everyone may read the object of `c` now. */
const IS_PUBLIC_NOW = `CASE
  WHEN c.object_type = 'dataset' THEN EXISTS (SELECT FROM dataset d WHERE d.id = c.object_id AND d.state = 'active' AND NOT d.private)
  WHEN c.object_type IN ('group', 'organization') THEN EXISTS (SELECT FROM group_account g WHERE g.id = c.object_id AND g.state = 'active')
  WHEN c.object_type = 'user' THEN EXISTS (SELECT FROM user_account u WHERE u.id = c.object_id AND u.state = 'active')
  ELSE c.object_type IN ('tag', 'vocabulary') END`;

const statements = {
  // Times of revisions always increase, even if the machine's clock is set back: readers continue from them
  // (`since_id`, `since_time`).
  insert: {
    name: 'insert_revision',
    text: `WITH moment AS MATERIALIZED (SELECT greatest($2::timestamptz,
          (SELECT created_at + interval '1 millisecond' FROM revision ORDER BY created_at DESC LIMIT 1)) AS at),
      given AS MATERIALIZED (SELECT c.object_type, c.object_id, c.action, c.detail, c.activity_id, c.actor_id, c.streams,
          coalesce(c.is_public, ${IS_PUBLIC_NOW}) AS is_public
        FROM jsonb_to_recordset($6::jsonb) AS c(object_type text, object_id text, action text, detail jsonb, activity_id text,
          actor_id text, is_public boolean, streams jsonb)),
      written AS (INSERT INTO revision (id, created_at, author_id, author, message, traceparent, visibility)
        SELECT $1, moment.at, $3, $4, $5, $8, CASE WHEN EXISTS (SELECT FROM given g WHERE g.is_public AND g.object_type IN ${LISTED})
          THEN 'public' ELSE 'private' END FROM moment),
      concerned AS (INSERT INTO revision_group (revision_id, group_id) SELECT DISTINCT $1, unnest($7::text[])),
      logged AS (INSERT INTO change (revision_id, created_at, actor_id, object_type, object_id, action, detail, activity_id, is_public)
        SELECT $1, moment.at, coalesce(g.actor_id, $3), g.object_type, g.object_id, g.action, g.detail, g.activity_id, g.is_public
        FROM given g, moment
        RETURNING sequence, activity_id)
    INSERT INTO activity_group (group_id, sequence) SELECT DISTINCT s.id, l.sequence FROM logged l
      JOIN given g ON g.activity_id = l.activity_id AND g.is_public CROSS JOIN LATERAL (
        SELECT jsonb_array_elements_text(g.streams)
        UNION SELECT d.owner_organization_id FROM dataset d WHERE g.streams IS NULL AND g.object_type = 'dataset' AND d.id = g.object_id
          AND d.owner_organization_id IS NOT NULL
        UNION SELECT f.group_id FROM dataset_group f WHERE g.streams IS NULL AND g.object_type = 'dataset' AND f.dataset_id = g.object_id
      ) AS s(id)`,
  },
  // A revision stays public while another of its changes is.
  forget: {
    name: 'forget_changes',
    text: `WITH gone AS MATERIALIZED (SELECT sequence, revision_id FROM change WHERE object_type = $1 AND object_id = $2
        UNION ALL SELECT sequence, revision_id FROM change WHERE $1 = 'dataset' AND object_type = 'related' AND activity_id IS NOT NULL
          AND detail ->> 'datasetId' = $2),
      forgotten AS (UPDATE change SET activity_id = NULL, is_public = false WHERE sequence IN (SELECT sequence FROM gone)),
      left_streams AS (DELETE FROM activity_group WHERE sequence IN (SELECT sequence FROM gone))
    UPDATE revision r SET visibility = 'purged' WHERE r.visibility = 'public' AND r.id IN (SELECT revision_id FROM gone)
      AND NOT EXISTS (SELECT FROM change c WHERE c.revision_id = r.id AND c.is_public AND c.object_type IN ${LISTED}
        AND c.sequence NOT IN (SELECT sequence FROM gone))`,
  },
  leave: {
    name: 'leave_streams',
    text: `DELETE FROM activity_group a USING change c, dataset d
      WHERE d.id = ANY ($1::text[]) AND d.state = 'active' AND NOT d.private AND c.object_type = 'dataset' AND c.object_id = d.id
        AND a.sequence = c.sequence AND a.group_id IS DISTINCT FROM d.owner_organization_id
        AND NOT EXISTS (SELECT FROM dataset_group f WHERE f.dataset_id = d.id AND f.group_id = a.group_id)`,
  },
} satisfies Record<string, Statement>;

/** Writes one revision, its changes and the objects it concerns in one statement. */
export async function insertRevision(sql: Sql, revision: RevisionRecord): Promise<void> {
  const changes = revision.changes.map((c) => ({
    object_type: c.objectType,
    object_id: c.objectId,
    action: c.action,
    detail: c.detail,
    activity_id: c.activityId,
    actor_id: c.actorId,
    is_public: c.isPublic,
    streams: c.streams,
  }));
  await sql.rows(statements.insert, [
    revision.id,
    revision.at,
    revision.authorId,
    revision.author,
    revision.message,
    JSON.stringify(changes),
    revision.groupIds,
    revision.traceparent,
  ]);
}

/** Removes the past of public datasets from the streams of groups and organizations that they have left. */
export const leaveStreams = async (sql: Sql, datasetIds: readonly string[]): Promise<void> =>
  void (await sql.rows(statements.leave, [datasetIds]));

/** Removes the past of a purged object from streams and public revisions. */
export const forgetChanges = async (sql: Sql, type: ChangeRecord['objectType'], id: string): Promise<void> =>
  void (await sql.rows(statements.forget, [type, id]));
