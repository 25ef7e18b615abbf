/** Argon2id, as services see it: how and where the work is done is decided by whoever makes the call. */

/** What is to be derived, and at what cost: memory in KiB, passes, lanes; `hashLength` in bytes. */
export interface ArgonJob {
  readonly password: string;
  readonly salt: Uint8Array;
  readonly hashLength: number;
  readonly memory: number;
  readonly passes: number;
  readonly lanes: number;
}

/** Derives the bytes. @throws CatalogError LIMIT when too many wait already. */
export type Argon = (job: ArgonJob) => Promise<Uint8Array>;
