/** Every list of the graph is paged, or listed here with its bound or with the connection beside it. */
import { expect, it } from '@jest/globals';
import {
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
} from 'graphql';
import { publicSchema, schema } from '../../src/graph/schema.ts';

/** Lists whose length depends on something else, with the reason. */
const BOUNDED: Readonly<Record<string, readonly string[]>> = {
  'the software, or its settings': [
    'DatasetQuality.dimensions',
    'DatasetQuality.faults',
    'QualityDimension.checks',
    'QualitySummary.checks',
    'QualitySummary.dimensions',
    'QualitySummary.ratings',
    'QualitySummary.stars',
    'QualityTimeline.dimensions',
    'QualityTimeline.ratings',
    'Query.licenses',
    'Query.memberRoles',
    'Query.resourceViewTypes',
    'Resource.viewTypes',
    'Query.settings',
    'Query.siteOptions',
    'Statistics.links',
    'ResourceViewField.options',
    'ResourceViewType.fields',
    'ResourceViewType.formats',
    'Site.datasetTypes',
    'Site.plugins',
  ],
  'a setting that its description names': ['Dataset.tags', 'Resource.views'],
  'a number that its description names': [
    'Query._entities',
    'Query.nodes',
    'Query.tokens',
    'ResourceLink.history',
    'User.tokens',
  ],
  'its argument, which has a most': [
    'Query.activityList',
    'Query.datasetStamps',
    'Query.datasetSuggestions',
    'Query.formatSuggestions',
    'Query.groupSuggestions',
    'Query.organizationSuggestions',
    'Query.userSuggestions',
    'DatasetSearchResult.matches',
    'DatasetSearchResult.results',
    'ResourceSearchResult.results',
    'CatalogUsage.starts',
    'Site.emptySearches',
    'Site.usageTop',
    'QualityDimensionTimeline.meanPoints',
    'QualityOrganizations.items',
    'QualityRatingTimeline.datasets',
    'QualityTimeline.datasets',
    'QualityTimeline.meanPoints',
    'QualityTimeline.starts',
    'StatisticsGroups.items',
    'Timeline.counts',
    'Timeline.series',
    'Timeline.starts',
    'TimelineSeries.counts',
    'Usage.starts',
    'UsageSeries.counts',
    'TagList.nodes',
  ],
  'what was asked for': [
    'DatasetSearchConnection.facets',
    'DatasetSearchResult.facets',
    'SearchFacetList.items',
    'TableQueryResult.fields',
    'TableSearchResult.fields',
    'Webhook.types',
  ],
  'the kinds of jobs, which the software and plugins have': ['Operations.jobs'],
  'a number that its description names, of periods, processes or tables': [
    'DatastoreSize.largest',
    'Operations.processes',
    'Operations.slowRequests',
    'Operations.traffic',
  ],
  'the states of datasets, which only system administrators add': ['Statistics.states'],
  'one fragment of text, or one for each of four fields': [
    'DatasetSearchEdge.highlights',
    'DatasetSearchMatch.highlights',
    'Highlight.pieces',
  ],
  'the columns of a table, of which the database has 1,600': [
    'Table.aliases',
    'Table.fields',
    'Table.indexes',
    'Table.primaryKey',
    'TableAutoIndex.fields',
    'TableAutoIndex.included',
  ],
  'automatic indexes of a table: catalog.datastore.auto_indexes is 32 or less': ['Table.autoIndexes'],
  'what one write may hold (catalog.limits.json_body)': [
    'Activity.details',
    'Dataset.extras',
    'Dataset.groups',
    'DatasetVersion.changes',
    'Group.extras',
    'Group.parents',
    'GroupLike.extras',
    'GroupLike.parents',
    'Organization.extras',
    'Organization.parents',
    'Query.activityDetails',
    'UploadTicket.headers',
  ],
  'the datasets that somebody related to it, one by one': ['Dataset.relationships', 'Query.datasetRelationships'],
  'the members of one object, for clients of the Action API': ['RoleList.roles'],
  'what was asked for, at most 8 and 20': ['TableGroup.figures', 'TableGroup.key'],
};

/** Unpaged lists, with the connection beside them. */
const PAGED_BESIDE: Readonly<Record<string, string>> = {
  'Dataset.resources': 'Dataset.resourceConnection',
  'Group.memberships': 'Group.membershipConnection',
  'GroupLike.memberships': 'GroupLike.membershipConnection',
  'Organization.memberships': 'Organization.membershipConnection',
  'Query.datasetRevisions': 'Dataset.history',
  'Query.followees': 'User.followees',
  'Query.followerList': 'Dataset.followers',
  'Query.groupList': 'Query.groups',
  'Query.groupMembers': 'GroupLike.membershipConnection',
  'Query.groupRevisions': 'GroupLike.revisions',
  'Query.myGroups': 'User.memberships',
  'Query.myOrganizations': 'User.memberships',
  'Query.organizationList': 'Query.organizations',
  'Query.relatedItemList': 'Query.relatedItems',
  'Query.termTranslationList': 'Query.termTranslations',
  'Query.userList': 'Query.users',
  'Query.vocabularyList': 'Query.vocabularies',
  'Revision.objects': 'Revision.objectConnection',
  'Vocabulary.tags': 'Vocabulary.tagConnection',
};

/** Lists without a bound or connection: notes of external jobs, which the Action API reads at once. */
const OPEN = ['Query.taskStatuses'];

/** Lists with a maximum that omit nothing, or nothing that clients expect there, with the reason. */
const WHOLE: Readonly<Record<string, readonly string[]>> = {
  'writes above the maximum are refused': ['Dataset.tags', 'Query.tokens', 'Resource.views', 'User.tokens'],
  'the largest numbers': ['Site.emptySearches', 'Site.usageTop'],
  'questions above the maximum are refused': [
    'CatalogUsage.starts',
    'DatasetSearchConnection.facets',
    'Query._entities',
    'Query.nodes',
    'QualityTimeline.starts',
    'Timeline.counts',
    'Timeline.starts',
    'Usage.starts',
  ],
  'the first ones of an order in which operators look at them': [
    'DatastoreSize.largest',
    'Operations.processes',
    'Operations.slowRequests',
  ],
  'older ones are deleted': ['ResourceLink.history'],
  'the first ones that fit what somebody types; the connections and the facet of formats have all': [
    'Query.datasetSuggestions',
    'Query.formatSuggestions',
    'Query.groupSuggestions',
    'Query.organizationSuggestions',
    'Query.userSuggestions',
  ],
};

interface Place {
  readonly place: string;
  readonly type: string;
  readonly field: GraphQLField<unknown, unknown>;
}

const fieldsOf = (of: GraphQLSchema): Place[] =>
  Object.values(of.getTypeMap()).flatMap((type) =>
    (isObjectType(type) || isInterfaceType(type)) && !type.name.startsWith('__')
      ? Object.values(type.getFields()).map((field) => ({
          place: `${type.name}.${field.name}`,
          type: type.name,
          field,
        }))
      : [],
  );
const fields = fieldsOf(schema);
const isPlainList = ({ place, field }: Place): boolean =>
  isListType(getNullableType(field.type)) &&
  // Lists in payloads are as long as their input. Nodes and edges are a page.
  !/^\w+(Payload|Connection)\.(?!facets)|^MutationError\./.test(place);

/** Arguments, and fields of input arguments, that limit the number of items. */
const SIZES = ['first', 'last', 'limit', 'rows'];
const isSized = ({ field }: Place): boolean =>
  field.args.some(({ name, type }) => {
    const input = getNamedType(type);
    return [name, ...(isInputObjectType(input) ? Object.keys(input.getFields()) : [])].some((it) => SIZES.includes(it));
  });

/** Lists of the public schema that may be incomplete: by an argument, by one of the field above, or by their description. */
function boundedLists(): Place[] {
  const all = fieldsOf(publicSchema);
  const pages = new Set(
    all.filter((one) => isSized(one) && !isPlainList(one)).map(({ field }) => getNamedType(field.type).name),
  );
  return all
    .filter(isPlainList)
    .filter(
      (one) =>
        isSized(one) ||
        pages.has(one.type) ||
        /at\s+most|up\s+to|maximum|more\s+than/i.test(one.field.description ?? ''),
    );
}

/** Fields beside a list that count its items. */
const tells = (name: string): readonly string[] => ['pageInfo', 'totalCount', 'otherCount', 'count', `${name}Count`];

it('reports how much it omits, or is complete', () => {
  const all = fieldsOf(publicSchema);
  const silent = boundedLists().filter(
    ({ type, field }) => !all.some((one) => one.type === type && tells(field.name).includes(one.field.name)),
  );
  const bounded = new Set(boundedLists().map(({ place }) => place));
  const listed = Object.values(WHOLE).flat();
  expect(silent.map(({ place }) => place).filter((place) => !listed.includes(place))).toEqual([]);
  expect(listed.filter((place) => !bounded.has(place))).toEqual([]);
  expect(bounded.size).toBeGreaterThan(listed.length);
});

it('has a total count and page info in every connection', () => {
  const connections = Object.values(publicSchema.getTypeMap())
    .filter(isObjectType)
    .filter(({ name }) => name.endsWith('Connection'));
  const needed = ['edges', 'nodes', 'pageInfo', 'totalCount'];
  expect(connections.length).toBeGreaterThan(20);
  expect(
    connections.flatMap((type) =>
      needed.filter((name) => !type.getFields()[name]).map((name) => `${type.name} has no ${name}`),
    ),
  ).toEqual([]);
});

it('is paged, bounded, or has a connection beside it', () => {
  const lists = fields.filter(isPlainList).map(({ place }) => place);
  const known = [...Object.values(BOUNDED).flat(), ...Object.keys(PAGED_BESIDE), ...OPEN];
  expect(lists.sort()).toEqual(known.sort());
});

/** Plain lists of the public schema with a connection beside them, with the reason. */
const BOTH: Readonly<Record<string, string>> = {
  'Dataset.resources': 'a part of the document, which comes whole; the connection pages through thousands',
  'Query.myGroups': 'those with a permission, for a choice; the connection lists memberships',
  'Query.myOrganizations': 'those with a permission, for a choice; the connection lists memberships',
};

it('leaves clients one way to read a list', () => {
  const places = fieldsOf(publicSchema).map(({ place }) => place);
  const beside = Object.keys(PAGED_BESIDE).filter((place) => places.includes(place));
  expect(beside).toEqual(Object.keys(BOTH));
});

it('names existing connections', () => {
  const connections = fields
    .filter(({ field }) => getNamedType(field.type).name.endsWith('Connection'))
    .map(({ place }) => place);
  expect(Object.values(PAGED_BESIDE).filter((place) => !connections.includes(place))).toEqual([]);
});

/** Connections that page forward only, with the reason. */
const FORWARD_ONLY: Readonly<Record<string, string>> = {
  'Query.changes': 'a log, which clients follow to its end',
};

it('pages connections in both directions, except the listed ones', () => {
  const forward = fields
    .filter(({ field }) => getNamedType(field.type).name.endsWith('Connection'))
    .filter(
      ({ field }) => !['first', 'after', 'last', 'before'].every((name) => field.args.some((arg) => arg.name === name)),
    );
  expect(forward.map(({ place }) => place).sort()).toEqual(Object.keys(FORWARD_ONLY).sort());
});

/** Orders without a direction, with the reason. */
const FIXED_ORDERS: Readonly<Record<string, string>> = {
  'SearchFacet.values': 'most frequent values first, or by value: people page forward from these',
};

it('takes orders with a field and a direction, and conditions as an input', () => {
  const args = fields.flatMap(({ place, field }) =>
    field.args.map((arg) => ({ place: `${place}.${arg.name}`, type: String(getNamedType(arg.type)) })),
  );
  const odd = args.filter(({ place, type }) => place.endsWith('.where') && !/(Where|Conditions)$/.test(type));
  expect(odd).toEqual([]);
  const orders = fieldsOf(publicSchema).flatMap(({ place, field }) =>
    field.args.filter(({ name }) => name === 'orderBy').map(({ type }) => ({ place, type: getNamedType(type) })),
  );
  const plain = orders.filter(({ type }) => !isInputObjectType(type) || !type.getFields().direction);
  expect(orders.length).toBeGreaterThan(15);
  expect(plain.map(({ place }) => place)).toEqual(Object.keys(FIXED_ORDERS));
});
