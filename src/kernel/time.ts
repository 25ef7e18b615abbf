/** An instant as the Action API writes it: UTC without a zone, six digits after the second (`2026-11-21T10:00:00.123000`). */
export const wireTime = (at: Date): string => `${at.toISOString().slice(0, -1)}000`;

/** The instant of a time as the Action API writes it. */
export const instant = (wire: string): Date => new Date(`${wire}Z`);

/** The moment of a write: now, but later than the write before it (ms), also when the machine's clock was set back meanwhile. */
export const momentAfter = (now: Date, before: Date | null | undefined): Date =>
  before && before >= now ? new Date(before.getTime() + 1) : now;

const [FIRST, LAST] = [Date.parse('0001-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];

/** The time of a number of ms, in the years that Prisma can send to PostgreSQL. A cursor may hold any number. */
export const storableTime = (ms: number): Date => new Date(Math.min(Math.max(ms, FIRST), LAST));
