/** The DataStore through clients of the field, unmodified: npm `ckan` and `ckanapi`. */

import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { hasPython, installPython } from '../helpers/python.ts';
import { describeWith, INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

interface Client {
  action(name: string, data: object, done: (failure: unknown, body: any) => void): void;
}
const CKAN = createRequire(import.meta.url)('ckan') as { Client: new (endpoint: string, key?: string) => Client };

let world: World;
let key: string;
let resource_id: string;
const RECORDS = [
  { city: 'Paris', people: 2_100_000, founded: '2000-01-01' },
  { city: 'Łódź, "PL"', people: null, founded: null },
];

beforeAll(async () => {
  world = await createWorld();
  await world.datastore();
  key = (await world.make.sysadmin()).key;
  const { body } = await world.make.dataset({ resources: [{ url: 'http://example.com/a.csv' }] });
  resource_id = body.resources[0]!.id;
});
afterAll(() => world.end());

it('npm ckan makes a table, searches it, and asks it SQL', async () => {
  const client = new CKAN.Client(world.base, key);
  const done = (name: string, data: object) =>
    new Promise<any>((resolve, reject) => {
      client.action(name, data, (failure, body) => (failure ? reject(failure) : resolve(body.result)));
    });
  await done('datastore_create', { resource_id, force: true, records: RECORDS });
  const found = await done('datastore_search', { resource_id, filters: { city: 'Paris' } });
  expect(found.records).toEqual([{ _id: 1, ...RECORDS[0], founded: '2000-01-01T00:00:00' }]);
  const sql = `SELECT count(*) AS n, max(people) AS most FROM "${resource_id}"`;
  expect((await done('datastore_search_sql', { sql })).records).toEqual([{ n: '2', most: 2_100_000 }]);
});

describeWith('python3 with venv', hasPython(), 'ckanapi 4.11', () => {
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    env = await installPython('ckanapi', '4.11');
  }, INSTALL_TIMEOUT);

  it('writes, searches, and finds the dump equal, value by value', async () => {
    const program = `
import csv, io, json, sys, urllib.request
from ckanapi import RemoteCKAN, NotFound
base, key, resource = sys.argv[1:]
site = RemoteCKAN(base, apikey=key)
site.action.datastore_create(resource_id=resource, force=True, primary_key=['city'])
site.action.datastore_upsert(resource_id=resource, force=True, method='upsert', records=[{'city': 'Rome', 'people': 5}])
rows = site.action.datastore_search(resource_id=resource, sort='_id')['records']
dump = urllib.request.urlopen(base + '/datastore/dump/' + resource).read().decode('utf-8')
lines = list(csv.DictReader(io.StringIO(dump)))
same = [{k: '' if v is None else str(v) for k, v in row.items()} for row in rows] == lines
try:
    site.action.datastore_search(resource_id='nope')
    refused = False
except NotFound:
    refused = True
print(json.dumps([len(rows), same, refused]))
`;
    const { stdout } = await promisify(execFile)('python3', ['-c', program, world.base, key, resource_id], { env });
    expect(JSON.parse(stdout)).toEqual([3, true, true]);
  });
});
