/** `catalog doctor` finds each fault, suggests a remedy and changes nothing. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newestMigration } from '../../src/migrate/migrate.ts';
import { runCommand } from '../helpers/command.ts';
import { createEmptyDatabase } from '../helpers/database.ts';
import { createWorld, type World } from '../helpers/world.ts';

let world: World;
let folder: string;
beforeAll(async () => {
  world = await createWorld();
  for (const name of ['rivers', 'lakes']) await world.make.dataset({ name });
  folder = mkdtempSync(join(tmpdir(), 'catalog-doctor-'));
});
afterAll(async () => {
  await world.end();
  rmSync(folder, { recursive: true, force: true });
});

const settings = () => ({ 'catalog.database_url': world.database.url, 'catalog.data_dir': folder });
const doctor = (...words: string[]) => runCommand(settings(), 'doctor', ...words);
const query = (text: string) => world.database.pool.query(text);
/** The failed findings, by their check. */
async function wrong(...words: string[]): Promise<Record<string, any>> {
  const findings = JSON.parse((await doctor('--json', ...words)).out) as { check: string; state: string }[];
  return Object.fromEntries(findings.filter(({ state }) => state === 'failed').map((it) => [it.check, it]));
}

it('finds no fault in a healthy catalog', async () => {
  const { code, out } = await doctor('--full');
  expect([code, out]).toEqual([0, expect.stringMatching(/^ok {7}documents: 2 compared with their rows$/m)]);
  expect(out).not.toContain('FAILED');
  expect(out).toMatch(/^ok {7}migrations: all migrations are applied$/m);
  expect(await wrong()).toEqual({});
  expect(readdirSync(folder)).toEqual([]);
});

it('finds outdated documents, and changes nothing', async () => {
  await query(`UPDATE dataset SET title = 'Other' WHERE name = 'rivers'`);
  for (let time = 0; time < 2; time += 1) {
    const { code, out, err } = await doctor();
    expect([code, err]).toEqual([1, expect.stringMatching(/^1 of \d+ checks failed\.$/)]);
    expect(out).toMatch(
      /^FAILED {3}documents: 1 of 2 differ from their rows: \S+\n {9}→ Run: catalog documents rebuild$/m,
    );
  }
  expect((await runCommand(settings(), 'documents', 'rebuild')).code).toBe(0);
  expect(await wrong()).toEqual({});
});

it('finds datasets missing from the search index, and changes nothing', async () => {
  await query('DELETE FROM dataset_search');
  for (let time = 0; time < 2; time += 1)
    expect(await wrong()).toEqual({
      'search index': expect.objectContaining({
        message: '2 of 2 datasets are not indexed',
        todo: 'Run: catalog search rebuild',
      }),
    });
  expect((await runCommand(settings(), 'search', 'rebuild')).code).toBe(0);
  expect(await wrong()).toEqual({});
});

it('finds invalid indexes', async () => {
  await query(`INSERT INTO tag (id, name) VALUES ('t-1', 'one'), ('t-2', 'two')`);
  await expect(query(`CREATE UNIQUE INDEX CONCURRENTLY broken ON tag ((1))`)).rejects.toThrow('broken');
  const { indexes } = await wrong();
  expect(indexes).toMatchObject({
    message: 'invalid: broken',
    todo: expect.stringContaining('REINDEX INDEX CONCURRENTLY broken;'),
  });
  await query('DROP INDEX broken');
});

it('finds gaps in the change log, and wrong counts', async () => {
  await query('UPDATE statistics_count SET objects = objects + 1');
  expect(await wrong('--full')).toMatchObject({ statistics: { todo: 'Run: catalog statistics rebuild' } });
  await runCommand(settings(), 'statistics', 'rebuild');
  for (const name of ['seas', 'bays']) await world.make.dataset({ name });
  expect(await wrong('--full')).toEqual({});
  await query('DELETE FROM change WHERE position = (SELECT max(position) - 1 FROM change)');
  expect(Object.keys(await wrong())).toEqual(['change log']);
});

it('warns of failed jobs and of a secret that others can read', async () => {
  await query(`INSERT INTO job (id, kind, subject_type, subject_id, state, max_attempts, attempts, payload, created_at, run_at, finished_at)
    VALUES ('j', 'load', 'resource', 'r', 'failed', 1, 1, '{}', now(), now(), now())`);
  expect((await doctor()).out).toMatch(
    /^warning {2}jobs: failed: 1 load\n {9}→ Reasons: catalog jobs list --state failed/m,
  );
  writeFileSync(join(folder, 'secret'), 'x'.repeat(64));
  chmodSync(join(folder, 'secret'), 0o644);
  expect((await wrong()).secret).toMatchObject({ todo: `Run: chmod 600 ${join(folder, 'secret')}` });
});

it('reports a catalog that does not start, as JSON too', async () => {
  const place = mkdtempSync(join(folder, 'broken-'));
  writeFileSync(join(place, 'secret'), 'cut', { mode: 0o600 });
  const findings = async (overrides: object): Promise<Record<string, any>[]> =>
    JSON.parse((await runCommand({ 'catalog.data_dir': place, ...overrides }, 'doctor', '--json')).out);
  const damaged = await findings({ 'catalog.database_url': world.database.url });
  expect(damaged.filter(({ state }) => state === 'failed')).toMatchObject([
    { check: 'secret', message: expect.stringMatching(/secret in \S+ is damaged/) },
    { check: 'catalog', message: expect.stringMatching(/secret in \S+ is damaged/) },
  ]);
  expect(damaged).toContainEqual(
    expect.objectContaining({ check: 'documents', state: 'skipped', message: 'needs a catalog that starts' }),
  );
  rmSync(join(place, 'secret'));
  mkdirSync(join(place, 'postgres'));
  writeFileSync(join(place, 'postgres', 'other'), '');
  const old = await findings({});
  expect(old.filter(({ state }) => state === 'failed')).toMatchObject([
    { check: 'database', message: expect.stringContaining('is not a database of this program') },
  ]);
});

it('finds missing migrations, and does not apply them', async () => {
  const empty = await createEmptyDatabase();
  const run = () => runCommand({ 'catalog.database_url': empty.url, 'catalog.data_dir': folder }, 'doctor');
  for (let time = 0; time < 2; time += 1) {
    const { code, out } = await run();
    expect([code, out]).toEqual([1, expect.stringContaining(`${newestMigration()}\n         → Run: catalog migrate`)]);
    expect(out).toMatch(/^skipped {2}documents: needs a migrated database$/m);
  }
  await empty.end();
});

it('reports a missing catalog and an unreachable database', async () => {
  const nowhere = await runCommand({ 'catalog.data_dir': join(folder, 'nothing') }, 'doctor');
  expect([nowhere.code, nowhere.out]).toEqual([
    1,
    expect.stringContaining(`there is no catalog in ${join(folder, 'nothing')}`),
  ]);
  const down = await runCommand(
    { 'catalog.database_url': 'postgresql://127.0.0.1:1/none', 'catalog.data_dir': folder },
    'doctor',
  );
  expect([down.code, down.out]).toEqual([1, expect.stringMatching(/FAILED {3}migrations: .*ECONNREFUSED/)]);
});
