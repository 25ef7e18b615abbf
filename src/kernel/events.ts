/** Blocks of events for streams. All readers with the same visibility share them. */

export interface EventBlock {
  readonly events: readonly object[];
  /** Whether permissions may have changed: accounts or memberships changed. */
  readonly touchesRights: boolean;
}

/** The unread part of a block for one reader: events from `skip` on. */
export interface EventPart {
  readonly block: EventBlock;
  readonly skip: number;
  /** Number of examined changes, which the reader pays for. */
  readonly looked: number;
  /** The cursor after the block. */
  readonly cursor: string;
}
