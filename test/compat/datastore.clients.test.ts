/** The DataStore through unmodified clients: npm `ckan`, `ckanapi` and `pandas`. */

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

it('creates, searches and queries a table by SQL with npm ckan', async () => {
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

  it('writes, searches, and dumps equal values', async () => {
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

describeWith('python3 with venv', hasPython(), 'pandas 2.3.3', () => {
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    env = await installPython('pandas[parquet]', '2.3.3');
  }, INSTALL_TIMEOUT);

  it('reads the dump as CSV and as Parquet, with types and values', async () => {
    const { body } = await world.make.dataset({ resources: [{ url: 'http://example.com/b.csv' }] });
    const id = body.resources[0]!.id;
    const client = new CKAN.Client(world.base, key);
    const fields = [
      { id: 'Zähler, 1', type: 'int' },
      { id: 'price', type: 'numeric' },
      { id: 'big', type: 'bigint' },
      { id: 'word', type: 'text' },
      { id: 'at', type: 'timestamp' },
      { id: 'day', type: 'date' },
      { id: 'yes', type: 'bool' },
      { id: 'meta', type: 'json' },
    ];
    const at = '2024-02-29T12:34:56.789012';
    const records = [
      {
        'Zähler, 1': 1,
        price: '12.50',
        big: '9007199254740993',
        word: 'a,"b"\n✓',
        at,
        day: '2024-02-29',
        yes: true,
        meta: { a: [1] },
      },
      { 'Zähler, 1': -2, price: '0.001', big: '-1', word: '007', at, day: '1969-12-31', yes: false, meta: [] },
    ];
    await new Promise((resolve, reject) => {
      client.action('datastore_create', { resource_id: id, force: true, fields, records }, (failure, found) =>
        failure ? reject(failure) : resolve(found),
      );
    });
    const program = `
import io, json, os, sys, urllib.request
import pandas
url = sys.argv[1] + '/datastore/dump/' + sys.argv[2]
csv = pandas.read_csv(url + '?bom=true', parse_dates=['at'], dtype={'word': str})
tsv = pandas.read_csv(url + '?format=tsv', sep='\t', parse_dates=['at'], dtype={'word': str})
parquet = pandas.read_parquet(io.BytesIO(urllib.request.urlopen(url + '?format=parquet').read()))
same = all((csv[name] == parquet[name]).all() for name in ['_id', 'Zähler, 1', 'big', 'word', 'at', 'yes', 'meta'])
print(json.dumps({
    'same': bool(same and csv.equals(tsv)),
    'kinds': [str(kind) for kind in parquet.dtypes],
    'csv': [str(kind) for kind in csv.dtypes],
    'price': [str(value) for value in parquet['price']],
    'big': [str(value) for value in parquet['big']],
    'word': list(parquet['word']),
    'at': str(parquet['at'][0]),
    'day': [str(value) for value in parquet['day']],
    'meta': list(parquet['meta']),
}), flush=True)
os._exit(0) # threads of pyarrow now and then abort a program that ends by itself
`;
    const { stdout } = await promisify(execFile)('python3', ['-c', program, world.base, id], { env });
    expect(JSON.parse(stdout)).toEqual({
      same: true,
      kinds: ['int32', 'int32', 'object', 'int64', 'object', 'datetime64[us]', 'object', 'bool', 'object'],
      csv: ['int64', 'int64', 'float64', 'int64', 'object', 'datetime64[ns]', 'object', 'bool', 'object'],
      price: ['12.500', '0.001'],
      big: ['9007199254740993', '-1'],
      word: ['a,"b"\n✓', '007'],
      at: '2024-02-29 12:34:56.789012',
      day: ['2024-02-29', '1969-12-31'],
      meta: ['{"a": [1]}', '[]'],
    });
  });
});
