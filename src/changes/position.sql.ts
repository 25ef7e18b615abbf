/**
 * Writes SQL expressions of the positions in the change log of a point in time. In SQL because Prisma cannot compare with a sub-query.
 * Times and positions grow together, except for writers that commit at the same moment (docs/decisions/0023). Entries near the first or
 * last one by time are therefore looked at, too.
 */

/** Number of entries that can be out of order: those that commit while one transaction is open. */
const NEARBY = 10_000;

/** The least position of an entry at or after a time; greater than all if there is none. */
export const firstAt = (position: 'sequence' | 'position', time: string): string => `COALESCE((SELECT min(b.${position})
  FROM change b WHERE b.created_at >= ${time} AND b.${position} > (SELECT f.${position} FROM change f
    WHERE f.created_at >= ${time} AND f.${position} IS NOT NULL ORDER BY f.created_at LIMIT 1) - ${NEARBY}), 9223372036854775807)`;

/** The greatest position of an entry before a time; 0 if there is none. */
export const lastAt = (position: 'sequence' | 'position', time: string): string => `COALESCE((SELECT max(b.${position})
  FROM change b WHERE b.created_at < ${time} AND b.${position} < (SELECT f.${position} FROM change f
    WHERE f.created_at < ${time} AND f.${position} IS NOT NULL ORDER BY f.created_at DESC LIMIT 1) + ${NEARBY}), 0)`;
