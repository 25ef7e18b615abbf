/** datapusher 0.0.17, the program that loads files for most portals: its job runs unmodified against this catalog. */
import { execFile } from 'node:child_process';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { hasPython, installPython } from '../helpers/python.ts';
import { describeWith, INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

/** datapusher needs an older Python, so names that moved are restored at their old places. */
const PROGRAM = `
import collections, collections.abc, json, sys, types
for name in ('Mapping', 'MutableMapping', 'Callable', 'Iterable', 'Sequence'):
    setattr(collections, name, getattr(collections.abc, name))
try:
    import magic
except ImportError:
    sys.modules['magic'] = types.ModuleType('magic')
from ckanserviceprovider import db
db.init('sqlite://')
from datapusher import jobs
base, key, resource = sys.argv[1:]
jobs.push_to_datastore('a task', {
    'api_key': key,
    'metadata': {'ckan_url': base, 'resource_id': resource, 'ignore_hash': True, 'set_url_type': True},
})
`;
const ROWS = 620;

describeWith('python3 with venv', hasPython(), 'datapusher 0.0.17', () => {
  it.each(['contract', 'http'] as const)(
    'loads a linked file in chunks, and again with its data dictionary, with statuses as in %s',
    async (statuses) => {
      const env = await installPython('datapusher', '0.0.17', [
        ...['ckanserviceprovider==1.1.0', 'messytables==0.15.2', 'setuptools<81'],
        ...['Flask==2.2.5', 'Werkzeug==2.2.3', 'python-dateutil==2.9.0.post0'],
      ]);
      const world: World = await createWorld({ 'catalog.action_api.status': statuses });
      await world.datastore();
      const lines = Array.from(
        { length: ROWS },
        (_, n) => `${n},Łódź ${n},${n / 4},2024-02-${String((n % 28) + 1).padStart(2, '0')}`,
      );
      const csv = ['n,city,level,day', ...lines].join('\n');
      const files = http.createServer((_req, res) => res.writeHead(200, { 'content-type': 'text/csv' }).end(csv));
      await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
      try {
        const admin = await world.make.sysadmin();
        const url = `http://127.0.0.1:${(files.address() as AddressInfo).port}/a.csv`;
        const { body } = await world.make.dataset({ resources: [{ url, format: 'CSV' }] });
        const resource_id = body.resources[0]!.id;
        const push = () =>
          promisify(execFile)('python3', ['-c', PROGRAM, world.base, admin.key, resource_id], {
            env: { ...env, LC_ALL: 'C', LANG: 'C' },
          });
        await push();
        const found = await world.result('datastore_search', { resource_id, sort: '_id', limit: 1000 });
        expect(found.total).toBe(ROWS);
        expect(found.fields.map(({ id, type }: { id: string; type: string }) => `${id} ${type}`)).toEqual([
          '_id int4',
          'n numeric',
          'city text',
          'level numeric',
          'day timestamp',
        ]);
        expect(found.records[619]).toEqual({
          _id: 620,
          n: '619',
          city: 'Łódź 619',
          level: '154.75',
          day: '2024-02-04T00:00:00',
        });
        const { hash, url_type, datastore_active } = await world.result('resource_show', { id: resource_id });
        expect({ url_type, datastore_active }).toEqual({ url_type: 'datapusher', datastore_active: true });
        expect(hash).toMatch(/^[0-9a-f]{32}$/);

        const info = { label: 'Number', type_override: 'text' };
        const fields = [{ id: 'n', type: 'numeric', info }];
        await world.result('datastore_create', { resource_id, force: true, fields }, { as: admin });
        await push();
        const again = await world.result('datastore_search', { resource_id, limit: 1 });
        expect(again.total).toBe(ROWS);
        expect(again.fields[1]).toEqual({ id: 'n', type: 'text', info });
      } finally {
        await new Promise((resolve) => files.close(resolve));
        await world.end();
      }
    },
    INSTALL_TIMEOUT,
  );
});
