import { ActionDatasetsChangeDocument, type DatasetsChange } from '../../../src/generated/operations.ts';
import { action } from '../define.ts';
import { list, text } from '../params.ts';
import { NULL } from '../schema.ts';

const bulk = (change: DatasetsChange, what: string) =>
  action({
    kind: 'write',
    summary: `${what} several datasets of one organization. Admins of the organization only.`,
    differs: 'Takes ids only. Names, and datasets of other organizations, are skipped. An empty list succeeds.',
    returns:
      'Null, even if nothing changed. Names, unknown ids, datasets of other organizations and unchanged datasets are skipped. For system administrators an unknown organization changes nothing. `changeDatasets` in the graph returns the ids of the changed datasets.',
    answers: NULL,
    document: ActionDatasetsChangeDocument,
    params: {
      datasets: list('Ids of the datasets. Datasets of other organizations are skipped.'),
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
