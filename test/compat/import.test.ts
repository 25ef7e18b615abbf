/** The same real metadata through `catalog import`, read back by the Action API and by GraphQL. */
import { createReadStream } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { documentsCheck } from '../../src/catalog/dataset/read/documents.service.ts';
import { importFile } from '../../src/cli/import.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { compareDatasets } from './compare.ts';
import { embedded, expectedDatasets, readSample, SAMPLE } from './sample.ts';

const records = readSample();
const expected = expectedDatasets(records);
let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());

let said: string[] = [];
const bring = (options = {}) => {
  said = [];
  const progress = { report: () => {}, say: (line: string) => void said.push(line), stop: () => {} };
  return importFile(world.app, createReadStream(SAMPLE), progress, options);
};

it('imports all datasets, which the Action API returns field by field', async () => {
  const start = performance.now();
  expect(await bring()).toEqual({
    created: expected.length,
    updated: 0,
    unchanged: 0,
    failed: records.length - expected.length,
  });
  expect(said).toHaveLength(records.length - expected.length);
  for (const line of said)
    expect(line).toMatch(/^line \d+: dataset \S+: the name belongs to another dataset, with the id/);
  const took = performance.now() - start;
  const came = [];
  for (let offset = 0; offset < expected.length; offset += 200) {
    came.push(...(await world.result('current_package_list_with_resources', { limit: 200, offset })));
  }
  const { differences, ...equal } = compareDatasets(expected, came);
  expect(differences).toEqual([]);
  console.log(`catalog import: ${JSON.stringify(equal)} in ${(took / 1000).toFixed(1)} s`);
});

it('creates the organizations and groups that datasets embed', async () => {
  const { organizations, groups } = embedded(records);
  expect(await world.result('organization_list')).toHaveLength(organizations.length);
  expect(await world.result('group_list')).toHaveLength(groups.length);
});

it('returns the datasets by GraphQL too', async () => {
  const big = expected.find(({ resources }) => resources.length > 500)!;
  const query = `query ($name: ID!) { dataset(id: $name) {
    databaseId title notes organization { name title } groups { name } extras { key value } resources { databaseId url format size } } }`;
  const { body } = await world.graph(query, { name: big.name });
  expect(body.errors).toBeUndefined();
  expect(body.data.dataset).toMatchObject({
    databaseId: big.id,
    title: big.title,
    notes: big.notes,
    organization: { name: big.organization.name, title: big.organization.title },
    extras: big.extras,
    resources: big.resources.map(({ id, url, format, size }) => ({ databaseId: id, url, format, size })),
  });
});

it('changes nothing when it runs again, and keeps all documents correct', async () => {
  const again = records.length - expected.length;
  expect(await bring()).toEqual({ created: 0, updated: 0, unchanged: expected.length, failed: again });
  for await (const { faults } of documentsCheck(world.app.callAs(world.system))) expect(faults).toEqual([]);
});

it('replaces a dataset by a later record of the same name only with --replace', async () => {
  const again = records.length - expected.length;
  expect(await bring({ replace: true })).toMatchObject({ created: 0, updated: again, failed: 0 });
  const replaced = expectedDatasets(records, true);
  const came = [];
  for (let offset = 0; offset < replaced.length; offset += 200) {
    came.push(...(await world.result('current_package_list_with_resources', { limit: 200, offset })));
  }
  expect(compareDatasets(replaced, came).differences).toEqual([]);
});
