/** What streams are made of: parts of blocks that are shared by all who are told the same. */

export interface EventBlock {
  readonly events: readonly object[];
  /** Whether callers may be others than they were: accounts or memberships changed. */
  readonly touchesRights: boolean;
}

/** What of a block one reader has not had: events from `skip` on. */
export interface EventPart {
  readonly block: EventBlock;
  readonly skip: number;
  /** What was looked through to find them, for the reader to pay. */
  readonly looked: number;
  /** To go on behind the block. */
  readonly cursor: string;
}
