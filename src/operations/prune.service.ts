/**
 * Prunes the change log in batches. Each batch is one transaction, so a killed process leaves a log that begins later
 * and is complete. Readers before its beginning get GONE (feed/pruned.ts).
 */
import { assignPositions } from '../feed/cursors.ts';
import { lockPositions } from '../feed/feed.sql.ts';
import { type Call, inTransaction } from '../kernel/call.ts';
import { CatalogError, notAuthorized } from '../kernel/errors.ts';
import { catchUp } from '../statistics/fold.service.ts';
import { lockStatistics } from '../statistics/fold.sql.ts';
import { countedPosition, endBefore, type LogState, pruneUpTo, readLogState, webhooksBefore } from './prune.sql.ts';

/** Maximum number of changes in one transaction. */
const BATCH = 2_000;
/** Attempts to find a moment in which statistics have counted a batch. */
const ATTEMPTS = 20;

interface PruneOptions {
  /** Changes from this time on stay. */
  readonly before: Date;
  /** Prunes changes that webhooks have not received. */
  readonly force?: boolean | undefined;
  /** Counts only. */
  readonly dryRun?: boolean | undefined;
}

export interface PruneResult {
  /** Number of pruned changes, or of changes to prune. */
  readonly changes: number;
  /** Webhooks that lose changes, at most 20. */
  readonly webhooks: readonly string[];
}

/** The retained log. Sysadmins only. @throws CatalogError NOT_AUTHORIZED */
export async function changesState(call: Call): Promise<LogState> {
  allowPrune(call);
  await assignPositions(call);
  return readLogState(call.sql);
}

/**
 * Removes old changes from the log. Sysadmins only. @throws CatalogError NOT_AUTHORIZED, CONFLICT (webhooks need the
 * changes, without `force`), UNAVAILABLE
 */
export async function changesPrune(call: Call, { before, force, dryRun }: PruneOptions): Promise<PruneResult> {
  const { first } = await changesState(call);
  const end = await endBefore(call.sql, before);
  const webhooks = (await webhooksBefore(call.sql, end)).map(({ name, id }) => `${name} (${id})`);
  if (dryRun) return { changes: Math.max(0, first === 0 ? 0 : end - first + 1), webhooks };
  if (webhooks.length > 0 && !force)
    throw new CatalogError('CONFLICT', `Webhooks have not received these changes yet: ${webhooks.join(', ')}`);
  let changes = 0;
  for (let position = Math.min(end, first + BATCH - 1); first > 0 && position <= end; ) {
    changes += await pruneBatch(call, position);
    if (position === end) break;
    position = Math.min(end, position + BATCH);
  }
  return { changes, webhooks };
}

async function pruneBatch(call: Call, position: number): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    await catchUp(call, Number.POSITIVE_INFINITY);
    const pruned = await inTransaction(call, async ({ sql }) => {
      await lockPositions(sql);
      await lockStatistics(sql);
      return (await countedPosition(sql)) < position ? null : pruneUpTo(sql, position);
    });
    if (pruned !== null) return pruned;
  }
  throw new CatalogError('UNAVAILABLE', 'The statistics have not counted these changes yet. Retry.');
}

function allowPrune({ actor }: Call): void {
  if (!actor.sysadmin) throw notAuthorized('only system administrators may prune the change log');
}
