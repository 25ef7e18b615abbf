/** A program that reads the data of a dashboard with the published package. Prints the results. */
import {
  Activities,
  Aggregate,
  Changes,
  ChangesEnd,
  createCatalog,
  DateHistogram,
  Facet,
  Statistics,
  Timeline,
} from 'catalog-gateway-client';

declare const process: { argv: string[] };
const [, , url, key, resource, since] = process.argv as [string, string, string, string, string, string];
const catalog = createCatalog({ url, key });

/** All nodes of a connection in pages of two, and the number of pages. */
async function walked<Node>(pages: AsyncIterable<{ readonly nodes: readonly Node[] }>): Promise<[Node[], number]> {
  const nodes: Node[] = [];
  let count = 0;
  for await (const page of pages) {
    nodes.push(...page.nodes);
    count += 1;
  }
  return [nodes, count];
}

const facet = { field: 'tags', orderBy: 'VALUE' as const, first: 2 };
const [tags, tagPages] = await walked(catalog.pages(Facet, facet, ({ search }) => search.facets[0]!.values));

const days = { of: 'CREATED' as const, interval: 'DAY' as const };
const [periods] = await walked(catalog.pages(DateHistogram, days, ({ search }) => search.dateHistogram));
// A period can be passed back as a condition.
const { from: createdFrom, to: createdTo } = periods[0]!;
const where = { createdFrom: String(createdFrom), createdTo: String(createdTo) };
const [again] = await walked(catalog.pages(DateHistogram, { ...days, where }, ({ search }) => search.dateHistogram));

const ascending = { field: 'HAPPENED' as const, direction: 'ASC' as const };
const created = { where: { types: ['DATASET_CREATED' as const] }, orderBy: ascending, first: 2 };
const [activities] = await walked(catalog.pages(Activities, created, (data) => data.activities));

const groups = {
  resource,
  groupBy: [{ field: 'station' }],
  figures: [{ figure: 'SUM' as const, field: 'level' }],
  orderBy: [{ figure: 'SUM' as const, field: 'level', direction: 'DESC' as const }],
  first: 2,
};
const [sums, sumPages] = await walked(catalog.pages(Aggregate, groups, ({ table }) => table!.aggregate));

const { changesEnd } = await catalog.run(ChangesEnd, { at: since });
const [changes] = await walked(
  catalog.pages(Changes, { after: changesEnd, types: ['DATASET'] }, (data) => data.changes),
);

const { statistics } = await catalog.run(Statistics, { by: 'TAG', first: 1 });
const { timeline } = await catalog.run(Timeline, { of: 'CREATED', interval: 'DAY' });

console.log(
  JSON.stringify({
    tags: tags.map(({ name, count }) => [name, count]),
    tagPages,
    periods: [periods.length, periods[0]!.count === statistics.datasets, again[0]!.count === statistics.datasets],
    activities: activities.map(({ objectName }) => objectName),
    sums: sums.map(({ key: [station], figures: [sum] }) => [station!.value, sum!.value]),
    sumPages,
    changes: changes.map(({ name }) => name),
    statistics: [statistics.groups.totalCount, statistics.groups.items[0]!.datasets],
    timeline: [timeline.starts.length, timeline.total],
  }),
);
