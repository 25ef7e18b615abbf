/** Real metadata through ckanapi, the client that most portals script with, unmodified: loaded into an empty catalog, and dumped again. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { hasPython, installPython } from '../helpers/python.ts';
import { describeWith, INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { createWorld, type World } from '../helpers/world.ts';
import { compareDatasets } from './compare.ts';
import { embedded, expectedDatasets, readSample, SAMPLE } from './sample.ts';

const MINUTES = 60_000;

describeWith('python3 with venv', hasPython(), 'ckanapi 4.11', () => {
  const records = readSample();
  const folder = mkdtempSync(join(tmpdir(), 'catalog-ckanapi-'));
  const file = (name: string) => join(folder, name);
  let env: NodeJS.ProcessEnv;
  let world: World;
  let key: string;

  beforeAll(async () => {
    env = await installPython('ckanapi', '4.11');
    world = await createWorld();
    key = (await world.make.sysadmin()).key;
  }, INSTALL_TIMEOUT);
  afterAll(async () => {
    await world?.end();
    rmSync(folder, { recursive: true });
  });

  /** Runs the client, with words in the order of its help. Throws if its exit code reports a failure. */
  const ckanapi = (...words: string[]) =>
    promisify(execFile)('ckanapi', [...words, '-r', world.base, '-a', key], {
      env,
      maxBuffer: 64 * 1024 * 1024,
    });

  async function load(kind: 'organizations' | 'groups', things: readonly object[]): Promise<void> {
    writeFileSync(file(`${kind}.jsonl`), things.map((thing) => `${JSON.stringify(thing)}\n`).join(''));
    await ckanapi('load', kind, '-I', file(`${kind}.jsonl`));
  }

  async function dump(kind: string): Promise<Record<string, unknown>[]> {
    await ckanapi('dump', kind, '--all', '-O', file(`${kind}.out.jsonl`), '-p', '2');
    return readFileSync(file(`${kind}.out.jsonl`), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  }

  it(
    'loads organizations and groups, and dumps them',
    async () => {
      const { organizations, groups } = embedded(records);
      await load('organizations', organizations);
      await load('groups', groups);
      expect(await dump('organizations')).toHaveLength(organizations.length);
      const dumped = new Map((await dump('groups')).map((group) => [group.id, group]));
      for (const { id, name, title, image_display_url } of groups)
        expect(dumped.get(id)).toMatchObject({ name, title, image_display_url });
    },
    MINUTES,
  );

  it(
    'loads every dataset, and dumps them unchanged, field by field',
    async () => {
      const start = performance.now();
      await ckanapi('load', 'datasets', '-I', SAMPLE, '-p', '2', '-q');
      const loaded = performance.now();
      const came = await dump('datasets');
      const { differences, ...equal } = compareDatasets(expectedDatasets(records, true), came);
      expect(differences).toEqual([]);
      const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(1);
      console.log(
        `ckanapi: ${JSON.stringify(equal)}; loaded in ${seconds(start, loaded)} s, dumped in ${seconds(loaded, performance.now())} s`,
      );
    },
    10 * MINUTES,
  );
});
