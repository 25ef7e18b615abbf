import { ActionDatasetReviseDocument } from '../../../src/generated/operations.ts';
import { action } from '../define.ts';
import { list, text } from '../params.ts';
import { OBJECT, object } from '../schema.ts';
import { dictionary, flattened, UPLOADS, uploadsOf } from './inputs.ts';

export const reviseActions = {
  package_revise: action({
    kind: 'write',
    summary: 'Changes parts of a dataset under one lock, if it matches the expected state.',
    returns: 'Dictionary with `package`: the dataset dictionary as it is now, or what include leaves of it.',
    answers: object({ package: OBJECT }),
    document: ActionDatasetReviseDocument,
    params: {
      match: dictionary(
        'What the dataset must be like, id or name among it. Also as match__<path>: keys with __ between them, for a list an index or 5 characters of an id.',
      ),
      filter: list('What to take away first: -notes, -resources__1, or all but some: +title, +resources, -*.'),
      update: dictionary(
        'What to merge into the dataset. Also as update__<path>, update__resources__extend for new items, update__resources__<n>__upload for a file.',
      ),
      include: list('What to answer, as patterns like those of filter; all when left out.'),
      log_message: text('Why, for the revision.'),
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
