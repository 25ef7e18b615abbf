/** Stores checks that editors request. In SQL because Prisma has no clock of the database, which due times use. */

import type { Sql, Statement } from '../infra/postgres/db.ts';
import { notify } from '../infra/postgres/notify.sql.ts';
import { CHANNEL } from './channel.ts';
import type { LinkRecord } from './link.store.ts';

const request: Statement = {
  text: `WITH requested AS (UPDATE resource_link SET requested_at = now(), host = $3, next_at = now() WHERE resource_id = $1 AND url = $2
        AND (requested_at IS NULL OR requested_at < now() - make_interval(secs => $4)) RETURNING host)
    INSERT INTO link_host AS h (host, due_at) SELECT host, now() FROM requested
    ON CONFLICT (host) DO UPDATE SET due_at = least(h.due_at, EXCLUDED.due_at) RETURNING host`,
};

/** Makes a link due now. False if that was requested less than `pause` seconds ago. */
export async function requestCheck(
  sql: Sql,
  { resourceId, url }: LinkRecord,
  host: string,
  pause: number,
): Promise<boolean> {
  if ((await sql.rows(request, [resourceId, url, host, pause])).length === 0) return false;
  await notify(sql, CHANNEL);
  return true;
}
