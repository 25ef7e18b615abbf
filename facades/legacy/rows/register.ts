/** The smaller registers: tags, revisions, licenses, ratings, related items and activities. */
import {
  type ActivityStream,
  LegacyActivityListDocument,
  LegacyLicenseListDocument,
  LegacyRateDocument,
  LegacyRelatedCreateDocument,
  LegacyRelatedDeleteDocument,
  LegacyRelatedListDocument,
  LegacyRelatedShowDocument,
  LegacyRevisionListDocument,
  LegacyRevisionShowDocument,
  LegacyTagCountsDocument,
  LegacyTagListDocument,
  LegacyTagShowDocument,
} from '../../../src/generated/operations.ts';
import { datasetRefs } from '../../shared/legacy/group.ts';
import { activityDict } from '../../shared/wire/activity.ts';
import { licenseDict } from '../../shared/wire/license.ts';
import { ratingDict, ratingOf } from '../../shared/wire/rating.ts';
import { relatedDict, relatedFields, shownRelatedDict } from '../../shared/wire/related.ts';
import { objectsOf, revisionDict } from '../../shared/wire/revision.ts';
import { row } from '../define.ts';

const activities = (path: string, of: ActivityStream) =>
  row({
    method: 'GET',
    path,
    document: LegacyActivityListDocument,
    variables: ({ path }) => ({ of, id: path.id! }),
    result: ({ activityList }) => activityList.map(activityDict),
  });

const tags = (path: string) =>
  row({
    method: 'GET',
    path,
    document: LegacyTagListDocument,
    variables: () => ({}),
    result: ({ tagList }) => tagList.nodes.map(({ name }) => name),
  });

export const registerRows = [
  tags('/rest/tag'),
  tags('/rest/tag/:id/datasets'), // all tags, by the contract
  row({
    method: 'GET',
    path: '/rest/tag/:id',
    document: LegacyTagShowDocument,
    variables: ({ path }) => ({ id: path.id! }),
    result: ({ tag }, { version }) => datasetRefs(tag.datasets.nodes, version),
  }),
  row({
    method: 'GET',
    path: '/tag_counts',
    document: LegacyTagCountsDocument,
    variables: () => ({}),
    result: ({ tagList }) => tagList.nodes.map(({ name, datasets }) => [name, datasets.totalCount]),
  }),
  row({
    method: 'GET',
    path: '/rest/revision',
    document: LegacyRevisionListDocument,
    variables: () => ({}),
    result: ({ revisionIds }) => revisionIds,
  }),
  row({
    method: 'GET',
    path: '/rest/revision/:id',
    document: LegacyRevisionShowDocument,
    variables: ({ path }) => ({ id: path.id! }),
    result: ({ revision }, { version }) => {
      const { objects, ...rest } = revision;
      const key = version === 1 ? 'name' : 'objectId';
      return {
        ...revisionDict(rest),
        packages: objectsOf(objects, ['DATASET'], key),
        // By the contract, the revision that deletes a group does not list it.
        groups: objectsOf(
          objects.filter(({ action }) => action !== 'DELETED'),
          ['GROUP', 'ORGANIZATION'],
          key,
        ),
      };
    },
  }),
  row({
    method: 'GET',
    path: '/rest/licenses',
    document: LegacyLicenseListDocument,
    variables: () => ({}),
    // two additional keys of the contract, always unknown
    result: ({ licenses }) => licenses.map((license) => ({ ...licenseDict(license), tags: [], date_created: null })),
  }),
  row({
    method: 'POST',
    path: '/rest/rating',
    document: LegacyRateDocument,
    variables: ({ body }) => ({ input: ratingOf(body.package, body.rating) }),
    result: ({ rateDataset }) => ratingDict(rateDataset.dataset!),
    created: () => null,
  }),
  row({
    method: 'GET',
    path: '/rest/related',
    document: LegacyRelatedListDocument,
    variables: () => ({}),
    result: ({ relatedItemList }) => relatedItemList.map(relatedDict),
  }),
  row({
    method: 'GET',
    path: '/rest/related/:id',
    document: LegacyRelatedShowDocument,
    variables: ({ path }) => ({ id: path.id! }),
    result: ({ relatedItem }) => shownRelatedDict(relatedItem),
  }),
  row({
    method: 'POST',
    path: '/rest/related',
    document: LegacyRelatedCreateDocument,
    variables: ({ body }) => ({ input: relatedFields(body) }),
    result: ({ createRelatedItem }) => relatedDict(createRelatedItem.relatedItem!),
    created: ({ createRelatedItem }) => `/rest/related/${encodeURIComponent(createRelatedItem.relatedItem!.id)}`,
  }),
  row({
    method: 'DELETE',
    path: '/rest/related/:id',
    document: LegacyRelatedDeleteDocument,
    variables: ({ path }) => ({ input: { id: path.id! } }),
    result: () => undefined,
  }),
  activities('/rest/dataset/:id/activity', 'DATASET'),
  activities('/rest/group/:id/activity', 'GROUP'),
  activities('/rest/user/:id/activity', 'USER'),
  activities('/rest/user/:id/dashboard_activity', 'DASHBOARD'),
];
