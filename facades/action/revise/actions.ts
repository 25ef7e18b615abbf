import { ActionDatasetReviseDocument } from '../../../src/generated/operations.ts';
import { action } from '../define.ts';
import { list, text } from '../params.ts';
import { OBJECT, object } from '../schema.ts';
import { dictionary, flattened, UPLOADS, uploadsOf } from './inputs.ts';

export const reviseActions = {
  package_revise: action({
    kind: 'write',
    summary: 'Changes parts of a dataset under one lock, if it matches the expected state.',
    returns: 'Dictionary with `package`: the dataset dictionary, or the part that `include` selects.',
    answers: object({ package: OBJECT }),
    document: ActionDatasetReviseDocument,
    params: {
      match: dictionary(
        'Values that the dataset must have, including `id` or `name`. Also as match__<path>: keys separated by __, and for a list an index or 5 characters of an id.',
      ),
      filter: list(
        'Parts to remove before the update: -notes, -resources__1, or all except some: +title, +resources, -*.',
      ),
      update: dictionary(
        'Values to merge into the dataset. Also as update__<path>, update__resources__extend for new items, update__resources__<n>__upload for a file.',
      ),
      include: list('Parts to return, as patterns like those of `filter`. Default: all.'),
      log_message: text('Message of the revision.'),
    },
    anyOf: [['match'], ['match__id'], ['match__name']],
    files: UPLOADS,
    variables: (p, raw, expectedVersion) => ({
      input: {
        match: p.match,
        matchAt: flattened(raw, 'match__'),
        filter: p.filter,
        update: p.update,
        updateAt: flattened(raw, 'update__'),
        uploads: uploadsOf(raw),
        include: p.include,
        message: p.log_message,
        expectedVersion,
      },
    }),
    result: ({ reviseDataset }) => ({ package: reviseDataset.revised!.document }),
  }),
};
