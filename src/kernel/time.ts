/** An instant in the Action API's form: UTC without a zone, six digits after the second (`2026-11-21T10:00:00.123000`). */
export const wireTime = (at: Date): string => `${at.toISOString().slice(0, -1)}000`;

/** The ISO 8601 form, in UTC to the millisecond, of a time in the Action API's form. */
export const isoTime = (wire: string): string => `${wire.slice(0, 23)}Z`;

/** The time of a write: now, but always later than the previous write (ms), even if the machine's clock was set back. */
export const momentAfter = (now: Date, before: Date | null | undefined): Date =>
  before && before >= now ? new Date(before.getTime() + 1) : now;

/** Milliseconds of a day in UTC. */
export const DAY = 86_400_000;

/** The day of a time in ms as `YYYY-MM-DD`, in UTC. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
