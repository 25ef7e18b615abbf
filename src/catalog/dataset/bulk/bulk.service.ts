/** Bulk changes of an organization's datasets by its admins. */
import { type Call, inTransaction } from '../../../kernel/call.ts';
import { allow } from '../../../kernel/errors.ts';
import { setDatasets } from '../../document/bulk.service.ts';
import { mayChangeInBulk } from '../dataset.policy.ts';
import { lockGroups } from '../dataset.sql.ts';

const CHANGES = {
  MAKE_PRIVATE: { change: { private: true }, message: 'REST API: Make datasets private' },
  MAKE_PUBLIC: { change: { private: false }, message: 'REST API: Make datasets public' },
  DELETE: { change: { state: 'deleted' }, message: 'REST API: Delete datasets' },
} as const;

interface BulkInput {
  readonly organization: string;
  readonly datasetIds: readonly string[];
  readonly change: keyof typeof CHANGES;
}

/**
 * Changes the listed datasets that the organization owns, in one revision. Returns the ids of the changed datasets.
 * Unknown ids and datasets of others are ignored; an unknown organization changes nothing. @throws CatalogError
 * NOT_AUTHORIZED
 */
export function datasetsChange(call: Call, { organization, datasetIds, change: kind }: BulkInput): Promise<string[]> {
  return inTransaction(call, async (call) => {
    const found = (await lockGroups(call.sql, [organization])).get(organization);
    allow(mayChangeInBulk(call.actor, found?.id ?? null));
    if (!found || datasetIds.length === 0) return [];
    const { change, message } = CHANGES[kind];
    return setDatasets(call, found.id, datasetIds, change, message);
  });
}
