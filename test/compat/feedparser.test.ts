/** The Atom feeds of real metadata, read by feedparser, which most Python feed readers use. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { hasPython, installPython } from '../helpers/python.ts';
import { describeWith, INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { embedded, expectedDatasets, readSample } from './sample.ts';

/** Reads a feed and its following pages. Prints the entries as JSON. */
const PROGRAM = `
import feedparser, json, sys
url, site, base = sys.argv[1:]
found = {"ids": [], "bozo": [], "missing": [], "version": [], "statuses": []}
while url:
    feed = feedparser.parse(url.replace(site, base))
    found["statuses"].append(feed.status)
    found["version"].append(feed.version)
    if feed.bozo: found["bozo"].append(repr(feed.bozo_exception))
    for field in ("id", "title", "updated_parsed", "author", "link"):
        if not feed.feed.get(field): found["missing"].append(field)
    for entry in feed.entries:
        found["ids"].append(entry.id)
        for field in ("id", "title", "updated_parsed", "published_parsed", "link"):
            if not entry.get(field): found["missing"].append("entry " + field)
    url = next((link.href for link in feed.feed.links if link.rel == "next"), None)
print(json.dumps(found))
`;

describeWith('python3 with venv', hasPython(), 'feedparser 6.0.12', () => {
  const sample = readSample();
  let env: NodeJS.ProcessEnv;
  let world: World;
  let paths: string[];

  beforeAll(async () => {
    env = await installPython('feedparser', '6.0.12');
    world = await createWorld();
    const as = await world.make.sysadmin();
    const { organizations, groups } = embedded(sample);
    for (const organization of organizations) await world.result('organization_create', organization, { as });
    for (const group of groups) await world.result('group_create', group, { as });
    for (const dataset of expectedDatasets(sample)) await world.result('package_create', dataset, { as });
    const names = async (action: string): Promise<string[]> => (await world.result(action, {})).slice(0, 10);
    paths = [
      '/feeds/dataset.atom',
      '/feeds/custom.atom?q=map&res_format=CSV',
      ...(await names('organization_list')).map((name) => `/feeds/organization/${name}.atom`),
      ...(await names('group_list')).map((name) => `/feeds/group/${name}.atom`),
      ...(await names('tag_list')).map((name) => `/feeds/tag/${encodeURIComponent(name)}.atom`),
    ];
  }, INSTALL_TIMEOUT);
  afterAll(() => world?.end());

  it(
    'reads every feed without a warning, and every public dataset once',
    async () => {
      const site = 'http://catalog.test';
      for (const path of paths) {
        const { stdout } = await promisify(execFile)('python', ['-c', PROGRAM, site + path, site, world.base], {
          env,
          maxBuffer: 64 * 1024 * 1024,
        });
        const { ids, bozo, missing, version, statuses } = JSON.parse(stdout);
        const said = { path, bozo, missing, versions: [...new Set(version)], statuses: [...new Set(statuses)] };
        expect(said).toEqual({ path, bozo: [], missing: [], versions: ['atom10'], statuses: [200] });
        expect([path, new Set(ids).size]).toEqual([path, ids.length]);
        if (path === '/feeds/dataset.atom') expect(ids).toHaveLength((await world.result('package_list', {})).length);
      }
    },
    INSTALL_TIMEOUT,
  );
});
