/** The log of changes as the process follows it: read once for all who listen. What each of them may know of it is decided elsewhere. */

/** Facts that decide who may read an object; null: nobody but system administrators. */
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

/** Whose facts decide who may read an object, as far as this process knows by now; one for all changes that hang on it. */
export interface Subject {
  readers: Readers;
  name: string | null;
}

/** A change of the log, whoever reads it. */
export interface LoggedChange {
  /** Place in the log: 1, 2, 3 … in the order in which changes became visible. */
  readonly position: number;
  readonly at: Date;
  readonly objectType: string;
  readonly objectId: string;
  readonly action: string;
  readonly actorId: string | null;
  readonly revisionId: string;
  /** The dataset that the object belongs to, or is. */
  readonly datasetId: string | null;
  /** What the log called the object. */
  readonly label: string | null;
  readonly before: Readers;
  readonly after: Readers;
  readonly subject: Subject;
}

/** Changes behind `start` up to `end`, in order. */
export interface ChangeBlock {
  readonly start: number;
  readonly end: number;
  readonly changes: readonly LoggedChange[];
}

/** A block, and the place behind which its reader has not read it yet. Blocks are shared by all readers. */
export interface FollowedBlock {
  readonly block: ChangeBlock;
  readonly from: number;
}

export interface Follow {
  /** Who listens, for the number of streams that one caller may have open. */
  readonly caller: string;
  /** Behind which place; null: from now on. */
  readonly after: number | null;
  /** Ends it. Must be aborted at some time where the stream is not read to its end. */
  readonly signal: AbortSignal;
}

export interface Feed {
  /** Tells all processes soon that something was written. Nothing is lost where it is not told: they look by themselves now and then. */
  wrote(): void;
  /** Blocks of the log as they come, until the signal. @throws CatalogError LIMIT (streams), VALIDATION (a place that is none), GONE (of what is behind it some is not kept any more), UNAVAILABLE (the end of this process) */
  follow(follow: Follow): Promise<AsyncGenerator<FollowedBlock>>;
  /** Grows whenever something else is known of a subject than was: what was worked out before then is worked out again. */
  readonly age: number;
}
