/** Lists all members of a group. In SQL because Prisma has no UNION: four tables make one list, filtered by the set-based policy. */
import { withHidden } from '../../infra/postgres/columns.ts';
import type { Sql, Statement } from '../../infra/postgres/db.ts';
import { readable } from '../document/readable.ts';
import type { MemberKind, MemberRecord } from './member.store.ts';

const columns = (kind: MemberKind, object: string): string =>
  `m.id, m.group_id AS "groupId", '${kind}' AS "objectType", m.${object} AS "objectId", m.capacity, m.revision_id AS "revisionId"`;

/** Datasets that the reader may also read individually. */
const READABLE = `d.state <> 'deleted' AND ${readable('d', 4)}`;

const list = {
  name: 'member_list',
  text: withHidden(`SELECT * FROM (
      SELECT ${columns('user', 'user_id')} FROM membership m JOIN user_account u ON u.id = m.user_id AND u.state <> 'deleted' WHERE m.group_id = $1::text
      UNION ALL SELECT ${columns('dataset', 'dataset_id')} FROM dataset_group m JOIN dataset d ON d.id = m.dataset_id WHERE m.group_id = $1::text AND ${READABLE}
      UNION ALL SELECT m.id, m.child_id, 'group', m.parent_id, m.capacity, m.revision_id
        FROM group_parent m JOIN group_account g ON g.id = m.parent_id AND g.state = 'active' WHERE m.child_id = $1::text
      UNION ALL SELECT NULL, d.owner_organization_id, 'dataset', d.id, 'organization', d.revision_id
        FROM dataset d WHERE d.owner_organization_id = $1::text AND ${READABLE}
    ) AS members
    WHERE ($2::text IS NULL OR "objectType" = $2::text) AND ($3::text IS NULL OR capacity = $3::text) ORDER BY "objectType" COLLATE "C", "objectId" COLLATE "C"`),
} satisfies Statement;

/** Members of a group that the reader may read, of one kind and capacity or (null) any; by kind and id. */
export const listMembers = (
  sql: Sql,
  groupId: string,
  kind: string | null,
  capacity: string | null,
  reader: readonly unknown[],
): Promise<MemberRecord[]> => sql.rows(list, [groupId, kind, capacity, ...reader]);
