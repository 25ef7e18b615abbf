/** Interface of Argon2id for services. The creator of the call chooses where the hashing runs. */

/** Input and cost of a derivation: memory in KiB, passes, lanes; `hashLength` in bytes. */
export interface ArgonJob {
  readonly password: string;
  readonly salt: Uint8Array;
  readonly hashLength: number;
  readonly memory: number;
  readonly passes: number;
  readonly lanes: number;
}

/** Derives the bytes. @throws CatalogError LIMIT if the queue is full. */
export type Argon = (job: ArgonJob) => Promise<Uint8Array>;
