/** Finds the end position of digests. In SQL because Prisma has no xid8 and no pg_snapshot_xmin(), the oldest open transaction. */
import { firstValue, type Sql, type Statement } from '../../infra/postgres/db.ts';

// An open transaction may hold a lower position than the newest visible one; digests stop before it.
const HORIZON: Statement = {
  name: 'digest_horizon',
  text: `SELECT coalesce(max(sequence), 0)::float8 AS sequence FROM change WHERE transaction_id < pg_snapshot_xmin(pg_current_snapshot())`,
};

/** The newest position in the log before which no transaction can write. */
export const findHorizon = (sql: Sql): Promise<number> => firstValue(sql, HORIZON);
