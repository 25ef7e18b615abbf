import { ActionRatingCreateDocument } from '../../../src/generated/operations.ts';
import { ratingDict, ratingOf } from '../../shared/wire/rating.ts';
import { action } from '../define.ts';
import { neededText } from '../params.ts';
import { NUMBER, object } from '../schema.ts';
import { ratingValue } from './inputs.ts';

export const ratingActions = {
  rating_create: action({
    kind: 'write',
    summary: "Rates a dataset that the caller may read. It replaces the caller's earlier rating.",
    differs: 'The caller must be signed in and able to read the dataset.',
    returns: 'Dictionary: `rating average` and `rating count` of the dataset.',
    answers: object({ 'rating average': { type: 'number' }, 'rating count': NUMBER }),
    document: ActionRatingCreateDocument,
    params: { package: neededText('Id or name of the dataset.'), rating: ratingValue('From 1 (worst) to 5 (best).') },
    variables: (p) => ({ input: ratingOf(p.package, p.rating) }),
    result: ({ rateDataset }) => ratingDict(rateDataset.dataset!),
  }),
};
