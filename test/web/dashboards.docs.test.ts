/** The Python code of the how-to page runs, and prints the figures of the chart. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';
import { csvRows } from '../helpers/dashboards.ts';
import type { TestUser } from '../helpers/make.ts';
import { describeWith, isThere } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';

const PAGE = readFileSync(join(projectRoot, 'docs/how-to/use-charts-elsewhere.md'), 'utf8');

describeWith('Python', isThere('python3'), 'the notebook', () => {
  let world: World;
  let admin: TestUser;
  beforeAll(async () => {
    world = await createWorld();
    admin = await world.make.sysadmin();
    const org = await world.make.organization({});
    for (const [n, format] of ['CSV', 'CSV', 'PDF', 'CSV'].entries())
      await world.result(
        'package_create',
        { name: `d-${n}`, owner_org: org.id, private: n === 3, resources: [{ url: 'http://x', format }] },
        { as: admin },
      );
  });
  afterAll(() => world.end());

  it.each(['visitor', 'token'])('runs as it is on the page, with a %s', async (kind) => {
    const code = /```python\n([\s\S]*?)```/.exec(PAGE)![1]!;
    const as = kind === 'token' ? admin : null;
    const env = { ...process.env, CATALOG_URL: world.base, ...(as && { CATALOG_TOKEN: as.key }) };
    const { stdout } = await promisify(execFile)('python3', ['-c', code], { env });
    const path = '/dashboards/catalog/formats.csv';
    const { text } = await world.request(path, { headers: as ? { authorization: as.key } : {} });
    const lines = csvRows(text).map(({ name, datasets }) => `${name} ${datasets}`);
    expect(lines).toEqual(as ? ['CSV 3', 'PDF 1'] : ['CSV 2', 'PDF 1']);
    expect(stdout.trim().split('\n')).toEqual(lines);
  });
});
