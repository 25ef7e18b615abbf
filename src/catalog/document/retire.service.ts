import { recordRevision } from '../../changes/changes.service.ts';
import type { Call } from '../../kernel/call.ts';
import { newId } from '../../kernel/ids.ts';
import { wireTime } from '../../kernel/time.ts';
import { listOwned, retireOwned } from './retire.store.ts';

/** Marks every dataset that an organization owns deleted, in one revision of its own. Call it inside the transaction. */
export async function retireDatasets(call: Call, organization: { id: string; name: string }): Promise<void> {
  const owned = await listOwned(call.sql, organization.id);
  if (owned.length === 0) return;
  const revisionId = newId();
  await recordRevision(
    call,
    revisionId,
    `REST API: Delete packages of organization ${organization.name}`,
    owned.map(({ id, name, title }) => ({
      objectType: 'dataset',
      objectId: id,
      action: 'deleted',
      detail: { name, title },
    })),
  );
  await retireOwned(call.sql, organization.id, revisionId, call.now, wireTime(call.now));
}
