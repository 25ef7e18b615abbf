import type { Sql, Statement } from '../../kernel/db.ts';

export interface IdentityRecord {
  id: string;
  name: string;
  sysadmin: boolean;
  /** Pairs of group id and capacity, own and inherited; null when there are none. */
  capacities: [string, string][] | null;
}

const byKey: Statement = {
  name: 'identity_by_key',
  text: `WITH RECURSIVE me AS (SELECT id, name, sysadmin FROM user_account WHERE api_key_hash = $1 AND state = 'active'),
    own AS (
      SELECT m.group_id, m.capacity FROM me JOIN membership m ON m.user_id = me.id
      JOIN group_account g ON g.id = m.group_id AND g.state = 'active'),
    inherited AS (
      SELECT group_id, capacity FROM own WHERE capacity = ANY ($2)
      UNION SELECT p.child_id, i.capacity FROM inherited i JOIN group_parent p ON p.parent_id = i.group_id
        JOIN group_account g ON g.id = p.child_id AND g.state = 'active')
    SELECT id, name, sysadmin,
      (SELECT json_agg(json_build_array(group_id, capacity)) FROM (SELECT * FROM own UNION SELECT * FROM inherited) AS c) AS capacities
    FROM me`,
};

/** The active user with this API key and what they may do where; one statement. Null when there is none. */
export async function findIdentity(
  sql: Sql,
  keyHash: string,
  cascading: readonly string[],
): Promise<IdentityRecord | null> {
  const [row] = await sql.rows<IdentityRecord>(byKey, [keyHash, cascading]);
  return row ?? null;
}
