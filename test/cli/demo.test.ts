/** `catalog demo` fills an empty catalog, and refuses all others. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fillWithDemo, readCsv, readDemo } from '../../src/cli/demo.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import { createWorld, type World } from '../helpers/world.ts';

const FOLDER = join(projectRoot, 'demo');
const TYPES = ['recline_graph_view', 'recline_map_view', 'geojson_view'];

let world: World;
beforeAll(async () => {
  world = await createWorld();
  await world.datastore();
});
afterAll(() => world.end());

const fill = () => fillWithDemo({ app: world.app, settings: world.app.callAs(world.system).settings });

describe('catalog demo', () => {
  it('fills an empty catalog with organizations, groups, datasets, tables, files and views', async () => {
    const { datasets, organizations, groups } = readDemo();
    expect(await fill()).toBe(datasets.length);
    expect(await world.result('organization_list', {})).toHaveLength(organizations.length);
    expect(await world.result('group_list', {})).toHaveLength(groups.length);
    const views: string[] = [];
    for (const { name, resources } of datasets) {
      const shown = await world.result('package_show', { id: name });
      expect(shown.resources).toHaveLength(resources.length);
      for (const [index, { id, url }] of shown.resources.entries()) {
        const { table, file, columns = {} } = resources[index]!;
        if (table) {
          const lines = readCsv(readFileSync(join(FOLDER, 'tables', `${table}.csv`), 'utf8'));
          const found = await world.result('datastore_search', { resource_id: id, limit: 1 });
          expect([table, found.total]).toEqual([table, lines.length - 1]);
          expect(found.fields.slice(1).map((field: { id: string }) => field.id)).toEqual(lines[0]);
          expect(Object.keys(columns)).toEqual(lines[0]);
        } else {
          const { pathname } = new URL(url);
          const answer = await world.request(pathname);
          expect(answer.text).toBe(readFileSync(join(FOLDER, 'files', file!), 'utf8'));
        }
        const list = await world.result('resource_view_list', { id });
        views.push(...list.map((view: { view_type: string }) => view.view_type));
        const own = resources[index]!.views?.map(({ title }) => title) ?? [];
        expect(list.slice(0, own.length).map((view: { title: string }) => view.title)).toEqual(own);
      }
    }
    for (const type of TYPES) expect(views).toContain(type);
  });

  it('refuses a catalog that is not empty, and writes nothing', async () => {
    const before = await world.result('package_list', {});
    await expect(fill()).rejects.toThrow(
      `The demo needs an empty catalog. This one has ${before.length} datasets, 4 organizations, 5 groups. Nothing was written.`,
    );
    expect(await world.result('package_list', {})).toEqual(before);
  });

  it('refuses a catalog with a single group', async () => {
    const other = await createWorld();
    try {
      await other.datastore();
      await other.make.group();
      const { settings } = other.app.callAs(other.system);
      await expect(fillWithDemo({ app: other.app, settings })).rejects.toThrow('0 datasets, 0 organizations, 1 groups');
    } finally {
      await other.end();
    }
  });
});

it('uses each file of the demo, and names its source in the README', () => {
  const used = readDemo().datasets.flatMap(({ resources }) =>
    resources.map(({ table, file }) => (table ? `tables/${table}.csv` : `files/${file}`)),
  );
  const files = ['tables', 'files'].flatMap((folder) =>
    readdirSync(join(FOLDER, folder)).map((name) => `${folder}/${name}`),
  );
  expect(used.sort()).toEqual(files.sort());
  const provenance = readFileSync(join(FOLDER, 'README.md'), 'utf8');
  for (const file of files) expect(provenance).toContain(`\`${file}\``);
});

it('reads comma-separated values', () => {
  expect(readCsv('a,b\n,1\n"x, ""y""",\n')).toEqual([
    ['a', 'b'],
    ['', '1'],
    ['x, "y"', ''],
  ]);
});
