/** The process's live change log: read once for all listeners. Other modules decide what each listener may see. */

/** Facts that decide who may read an object; null: sysadmins only. */
export type Readers =
  | { readonly of: 'anybody' }
  | {
      readonly of: 'dataset';
      readonly id: string;
      readonly state: string;
      readonly private: boolean;
      readonly ownerOrganizationId: string | null;
      readonly creatorId: string | null;
    }
  | { readonly of: 'group'; readonly id: string; readonly state: string; readonly isOrganization: boolean }
  | { readonly of: 'user'; readonly id: string; readonly state: string }
  | null;

/** The object whose facts decide visibility, as far as this process knows; shared by all changes of objects that belong to it. */
export interface Subject {
  readers: Readers;
  name: string | null;
}

/** A change in the log, before any visibility check. */
export interface LoggedChange {
  /** Position in the log: 1, 2, 3 … in the order in which changes became visible. */
  readonly position: number;
  readonly at: Date;
  readonly objectType: string;
  readonly objectId: string;
  readonly action: string;
  readonly actorId: string | null;
  readonly revisionId: string;
  /** The dataset that the object belongs to, or is. */
  readonly datasetId: string | null;
  /** The object's name in the log entry. */
  readonly label: string | null;
  /** Groups of the dataset: at the time of a public change, and when the change was read. */
  readonly groups: readonly string[];
  readonly before: Readers;
  readonly after: Readers;
  readonly subject: Subject;
}

/** Changes after `start` up to `end`, in order. */
export interface ChangeBlock {
  readonly start: number;
  readonly end: number;
  readonly changes: readonly LoggedChange[];
}

/** A block, and the position after which its reader has not read it yet. All readers share blocks. */
export interface FollowedBlock {
  readonly block: ChangeBlock;
  readonly from: number;
}

export interface Follow {
  /** The listener's key, for the limit of open streams per caller. */
  readonly caller: string;
  /** Start after this position; null: from now on. */
  readonly after: number | null;
  /** Ends the stream. Must be aborted eventually if the stream is not read to its end. */
  readonly signal: AbortSignal;
}

export interface Feed {
  /** Notifies all processes of a write soon. Lost notifications are harmless, because processes also poll. */
  wrote(): void;
  /**
   * Blocks of the log as they arrive, until the signal aborts. @throws CatalogError LIMIT (streams), VALIDATION
   * (invalid position), GONE (changes after the position have been pruned), UNAVAILABLE (the process is stopping)
   */
  follow(follow: Follow): Promise<AsyncGenerator<FollowedBlock>>;
  /** Increases when facts of a subject change: visibility computed before must be computed again. */
  readonly age: number;
}
