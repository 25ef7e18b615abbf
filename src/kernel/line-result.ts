/** The result of one import line: produced by the importer, reported by every facade. */
export interface LineResult {
  /** Line number, from 1. */
  readonly line: number;
  /** Bytes of all lines up to and including this one. */
  readonly bytes: number;
  /** Null if the line is not a record. */
  readonly record: Readonly<Record<string, unknown>> | null;
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'failed';
  /** The object's id in this catalog; differs from the record's if the object was found by name. Undefined for a failed line. */
  readonly id?: unknown;
  /** Differences between the stored object and the record, a line each; omitted without any. */
  readonly remarks?: readonly string[];
  /** The error of a failed line. */
  readonly failure?: unknown;
}
