/** A page that uses the published package: creates a dataset, reads it, and waits for one of its changes. */
import { accepted, Changes, CreateDataset, createCatalog, DatasetByName, FollowChanges } from 'catalog-gateway-client';

declare const window: { run(url: string, key: string, name: string): Promise<string[]> };

window.run = async (url, key, name) => {
  const catalog = createCatalog({ url, key });
  const after = (await catalog.run(Changes, { first: 100 })).changes.pageInfo.endCursor;
  accepted((await catalog.run(CreateDataset, { input: { name, title: 'From a page' } })).createDataset);
  const { dataset } = await catalog.run(DatasetByName, { name });
  for await (const { changes } of catalog.subscribe(FollowChanges, { after }, (data) => data.changes.cursor))
    if (changes.name === name) return [dataset.title, changes.operation];
  return [];
};
