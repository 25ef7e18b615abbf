/** What became of a line of an import: written by who brings it in, told by whatever surface it came through. */
export interface LineResult {
  /** Its number; the first is 1. */
  readonly line: number;
  /** Bytes of all lines until here, this one included. */
  readonly bytes: number;
  /** Null where the line is no record. */
  readonly record: Readonly<Record<string, unknown>> | null;
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'failed';
  /** The id it has here: another than the record's where it was found by its name. Undefined when it failed. */
  readonly id?: unknown;
  /** What is here otherwise than in the record, a line each; left out where nothing is. */
  readonly remarks?: readonly string[];
  /** What was thrown when it failed. */
  readonly failure?: unknown;
}
