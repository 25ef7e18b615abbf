/** Gives turns of hosts to processes. In SQL because Prisma has no clock of the database, which leases and pauses use. */
import type { Sql, Statement } from '../infra/postgres/db.ts';

const statements = {
  take: {
    text: `INSERT INTO link_host AS h (host, holder, held_until) VALUES ($1, $2, now() + make_interval(secs => $3))
      ON CONFLICT (host) DO UPDATE SET holder = EXCLUDED.holder, held_until = EXCLUDED.held_until
      WHERE (h.held_until IS NULL OR h.held_until < now()) AND h.free_at <= now() RETURNING host`,
  },
  wait: {
    text: 'SELECT (extract(epoch FROM free_at - clock_timestamp()) * 1000)::float8 AS ms FROM link_host WHERE host = $1',
  },
  end: {
    text: `UPDATE link_host SET holder = NULL, held_until = NULL, free_at = greatest(free_at, now() + make_interval(secs => $3))
      WHERE host = $1 AND holder = $2`,
  },
} satisfies Record<string, Statement>;

/** Takes the turn of a host for `lease` seconds; false while another request has it, or during the pause after one. */
export const takeTurn = async (sql: Sql, host: string, holder: string, lease: number): Promise<boolean> =>
  (await sql.rows(statements.take, [host, holder, lease])).length > 0;

/** ms until the pause of a host ends; 0 or less if only another request is in the way. */
export const pauseOfHost = async (sql: Sql, host: string): Promise<number> =>
  (await sql.rows<{ ms: number }>(statements.wait, [host]))[0]?.ms ?? 0;

/** Gives the turn back. The next one starts after `pause` seconds. */
export const endTurn = async (sql: Sql, host: string, holder: string, pause: number): Promise<void> =>
  void (await sql.rows(statements.end, [host, holder, pause]));
