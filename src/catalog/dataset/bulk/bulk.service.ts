/** What the admins of an organization do to many of its datasets at once. */
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
 * Changes the named datasets that the organization owns, in one revision; answers the ids of those that were changed. Ids of other
 * datasets, or of none, are left alone, and so is everything when there is no such organization. @throws CatalogError NOT_AUTHORIZED
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
