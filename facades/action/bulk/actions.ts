import { ActionDatasetsChangeDocument, type DatasetsChange } from '../../../src/generated/operations.ts';
import { action } from '../define.ts';
import { list, text } from '../params.ts';
import { NULL } from '../schema.ts';

const bulk = (change: DatasetsChange, what: string) =>
  action({
    kind: 'write',
    summary: `${what} many datasets of one organization at once; for its admins.`,
    differs:
      'Ids only: names are left alone, and so is what the organization does not own. An empty list answers success.',
    returns:
      'Null, also where nothing was changed. Left alone without a word are names, ids that no dataset has, datasets that the organization does not own and those that are so already; and for system administrators everything, where there is no such organization. `changeDatasets` in the graph answers the ids of those that were changed.',
    answers: NULL,
    document: ActionDatasetsChangeDocument,
    params: {
      datasets: list('Ids of the datasets; those that the organization does not own are left alone.'),
      org_id: text('Id or name of the organization.'),
    },
    variables: (p) => ({ input: { organization: p.org_id ?? '', datasetIds: p.datasets ?? [], change } }),
    result: () => null,
  });

export const bulkActions = {
  bulk_update_private: bulk('MAKE_PRIVATE', 'Makes private'),
  bulk_update_public: bulk('MAKE_PUBLIC', 'Makes public'),
  bulk_update_delete: bulk('DELETE', 'Marks deleted'),
};
