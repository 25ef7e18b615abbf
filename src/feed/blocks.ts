/** Cache of log blocks, and of the present facts about the subjects of their changes. */
import type { ChangeBlock, LoggedChange, Readers, Subject } from '../kernel/feed.ts';
import type { ChangeRow } from './feed.sql.ts';

/** Maximum number of cached changes, some KiB each: four reads of the follower. */
const MAX_CACHED = 2_000;

/** A single change with its own subject. */
export const withSubject = (
  { now, name, ...change }: ChangeRow,
  subject: Subject = { readers: now, name },
): LoggedChange => ({
  ...change,
  subject,
});

/** Blocks by their start, least recently used first; their changes share facts of their subjects. */
export function createBlocks() {
  const cached = new Map<number, ChangeBlock>();
  const subjects = new Map<string, { subject: Subject; users: number }>();
  let count = 0;
  let age = 0;

  function subjectOf({ objectType, objectId, datasetId, now, name }: ChangeRow): Subject {
    const key = keyOf(objectType, objectId, datasetId);
    const found = subjects.get(key);
    if (!found) {
      const subject = { readers: now, name };
      subjects.set(key, { subject, users: 1 });
      return subject;
    }
    found.users += 1;
    if (found.subject.name !== name || !isSame(found.subject.readers, now)) age += 1;
    return Object.assign(found.subject, { readers: now, name });
  }

  function drop({ start, changes }: ChangeBlock): void {
    cached.delete(start);
    count -= changes.length;
    for (const { objectType, objectId, datasetId } of changes) {
      const key = keyOf(objectType, objectId, datasetId);
      const found = subjects.get(key);
      if (found && --found.users === 0) subjects.delete(key);
    }
  }

  return {
    age: () => age,
    get: (start: number) => cached.get(start),

    add(start: number, rows: readonly ChangeRow[]): ChangeBlock | null {
      const last = rows.at(-1);
      if (!last) return null;
      const block = { start, end: last.position, changes: rows.map((row) => withSubject(row, subjectOf(row))) };
      cached.set(start, block);
      count += rows.length;
      for (const oldest of cached.values()) {
        if (count <= MAX_CACHED) break;
        drop(oldest);
      }
      return block;
    },

    /** Changes after a position, from a cached block that contains them. */
    after(position: number): ChangeBlock | null {
      const exact = cached.get(position);
      if (exact) return exact;
      for (const block of cached.values()) if (block.start < position && position < block.end) return block;
      return null;
    },

    clear(): void {
      cached.clear();
      subjects.clear();
      count = 0;
    },
  };
}

const keyOf = (objectType: string, objectId: string, datasetId: string | null): string =>
  datasetId === null ? `${objectType} ${objectId}` : `dataset ${datasetId}`;

const isSame = (a: Readers, b: Readers): boolean => JSON.stringify(a) === JSON.stringify(b);
