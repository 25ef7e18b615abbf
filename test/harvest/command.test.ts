/** `catalog harvest` as a separate process: exit codes, and continuing after it is killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';
import { type ElsewhereServer, serveElsewhere } from '../helpers/http.ts';
import { until } from '../helpers/until.ts';
import { createWorld, type World } from '../helpers/world.ts';

const COUNT = 250;
let there: World;
/** Proxies requests to `there`. While held, it does not answer the last request of a run, so that the run cannot end. */
let runner: ElsewhereServer;
let isHeld = false;
let here: World;
let folder: string;
const started: ChildProcess[] = [];
beforeAll(async () => {
  [there, here] = await Promise.all([createWorld(), createWorld()]);
  folder = mkdtempSync(join(tmpdir(), 'harvest-'));
  runner = await serveElsewhere(async (req, res) => {
    if (isHeld && req.url!.includes('package_list')) return;
    const answer = await fetch(there.base + req.url);
    res.writeHead(answer.status, { 'content-type': answer.headers.get('content-type')! }).end(await answer.text());
  });
  const names = Array.from({ length: COUNT }, (_, index) => `set-${index}`);
  for (let at = 0; at < COUNT; at += 10)
    await Promise.all(
      names.slice(at, at + 10).map((name) => there.make.dataset({ name, resources: [{ url: 'http://a.example' }] })),
    );
});
afterAll(async () => {
  for (const process of started) process.kill('SIGKILL');
  await Promise.all([there.end(), here.end(), runner.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

function command(...words: string[]) {
  const env = {
    ...process.env,
    DATABASE_URL: here.database.url,
    CATALOG__DATA_DIR: folder,
    CATALOG__LOG_LEVEL: 'silent',
  };
  const child = spawn(process.execPath, [join(projectRoot, 'scripts/catalog.mjs'), 'harvest', ...words], { env });
  started.push(child);
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (output += text));
  const ended = new Promise<{ code: number | null; output: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, output })),
  );
  return { child, ended, said: () => output };
}

const rows = async (sql: string) => (await here.database.pool.query(sql)).rows;

it('continues after it was killed, and reports the result', async () => {
  isHeld = true;
  const { child, ended, said } = command(runner.base, '--per-second', '1000');
  await until(async () => (await rows('SELECT count(*)::int AS n FROM harvest_record'))[0].n >= 20, said);
  child.kill('SIGKILL');
  await ended;
  isHeld = false;
  const [{ n: before }] = await rows('SELECT count(*)::int AS n FROM dataset');
  const again = await command(runner.base, '--kind', 'dcat', '--adopt', '--per-second', '9').ended;
  expect(again).toMatchObject({
    code: 0,
    output: expect.stringMatching(
      /Ignored, because the source exists: --kind, --per-second, --adopt\.[\s\S]*\d+ created, 0 updated, \d+ unchanged, 0 deleted, 0 failed/,
    ),
  });
  expect(Number(/(\d+) created/.exec(again.output)![1])).toBe(COUNT - before);
  expect((await here.result('package_list')).sort()).toEqual((await there.result('package_list')).sort());
  expect(await rows('SELECT state FROM harvest_run ORDER BY number')).toEqual([
    { state: 'stopped' },
    { state: 'done' },
  ]);
});

it('exits with 1 if the source cannot be read, and with 2 for a wrong argument', async () => {
  const [source, wrong] = [command(`${there.base}/nowhere`, '--per-second', '1000'), command('no-source')];
  expect(await source.ended).toMatchObject({
    code: 1,
    output: expect.stringContaining('responded with 404 and no JSON'),
  });
  expect(await wrong.ended).toMatchObject({ code: 2, output: expect.stringContaining('"no-source" is neither') });
});
