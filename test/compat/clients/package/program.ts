/** A program that uses the published package: pages, updates, handles a conflict and follows changes. Prints the results. */
import {
  accepted,
  Conflict,
  CreateDataset,
  createCatalog,
  Datasets,
  type DatasetsQuery,
  FollowChanges,
  UpdateDataset,
} from 'catalog-gateway-client';

declare const process: { argv: string[] };
const [, , url, key, prefix] = process.argv as [string, string, string, string, string];
const catalog = createCatalog({ url, key });

const versions: number[] = [];
const ids: string[] = [];
for (const name of ['a', 'b', 'c'].map((letter) => `${prefix}-${letter}`)) {
  const { dataset } = accepted((await catalog.run(CreateDataset, { input: { name } })).createDataset);
  versions.push(dataset.version);
  ids.push(dataset.id);
}
type Summary = DatasetsQuery['datasets']['nodes'][number];
const found: Summary['name'][] = [];
for await (const { name } of catalog.all(Datasets, { first: 2 }, (data) => data.datasets))
  if (name.startsWith(prefix)) found.push(name);

const events = catalog.subscribe(FollowChanges, { types: ['DATASET'] }, ({ changes }) => changes.cursor);
const patch = (title: string, expectedVersion: number) =>
  catalog.run(UpdateDataset, { input: { dataset: ids[0] as string, title, expectedVersion } });
// The subscription starts with its first event, so the update is repeated until it is received.
let version = versions[0] as number;
const first = events.next();
let isSeen = false;
void first.then(() => (isSeen = true));
let updates = 0;
while (!isSeen) {
  version = accepted((await patch(`Title ${(updates += 1)}`, version)).updateDataset).dataset.version;
  await new Promise((resolve) => setTimeout(resolve, 100));
}
const { value } = await first;
await events.return();

const conflict = await patch('Late', versions[0] as number).then(({ updateDataset }) => {
  try {
    return accepted(updateDataset).dataset.title;
  } catch (failure) {
    if (failure instanceof Conflict) return failure.currentVersion === version;
    throw failure;
  }
});
const followed = value ? `${value.changes.operation} ${value.changes.name}` : null;
console.log(JSON.stringify({ found: found.sort(), followed, conflict }));
