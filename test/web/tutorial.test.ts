/** Runs docs/tutorial.md: `npm start` on an empty folder, then every command in one shell. Compares the output with the page. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';
import { patternOf } from '../helpers/page-blocks.ts';
import { freePort } from '../helpers/port.ts';
import { describeWith, isThere } from '../helpers/runtime.ts';
import { until } from '../helpers/until.ts';

/** Each block of commands, with the output that the page shows after it. */
const BLOCK = /^```sh\n(.*?)^```\n(?:```(?:json|text)\n(.*?)^```$)?/gms;
const page = readFileSync(join(projectRoot, 'docs/tutorial.md'), 'utf8');
const [start, ...steps] = [...page.matchAll(BLOCK)].map(([, commands, output]) => ({ commands: commands!, output }));
const MARK = '--- next block ---';

describeWith('curl', isThere('curl'), 'the tutorial', () => {
  let folder: string;
  let server: ChildProcess;
  let printed = '';
  let base: string;
  let shown: string[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tutorial-'));
    const port = await freePort();
    base = `http://localhost:${port}`;
    const { DATABASE_URL: _, ...env } = process.env;
    server = spawn('sh', ['-c', `exec ${start!.commands.replace('npm start', 'node scripts/start.mjs')}`], {
      cwd: projectRoot,
      env: { ...env, PORT: String(port), CATALOG__SITE_URL: base, CATALOG__DATA_DIR: join(folder, 'data') },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    server.stdout!.on('data', (text) => (printed += text));
    await until(() => printed.includes('/user/reset/'));
  });
  afterAll(async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGINT');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  it('starts with npm start, which runs scripts/start.mjs', () => {
    expect(start!.commands).toBe('npm start\n');
    expect(JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')).scripts.start).toBe(
      'node scripts/start.mjs',
    );
  });

  it('has commands that all succeed', async () => {
    const key = /API key +(\S+)/.exec(printed)![1]!;
    const script = steps
      .map(({ commands }) =>
        commands.replaceAll('http://localhost:5000', base).replaceAll('curl -sS', 'curl -sS --fail'),
      )
      .join(`\necho; echo '${MARK}'\n`)
      .replace('paste the API key here', key);
    const { stdout } = await promisify(execFile)('sh', ['-ec', script], { cwd: folder, timeout: 120_000 });
    shown = stdout.split(MARK).map((text) => text.replaceAll(base, 'http://localhost:5000'));
    expect(shown).toHaveLength(steps.length);
    expect(shown.filter((text) => /"success": ?false|"errors"/.test(text))).toEqual([]);
  });

  const withOutput = steps.flatMap(({ output }, at) => (output ? [[at + 1, output] as const] : []));
  it.each(withOutput)('prints what the page shows after block %i', (at, output) =>
    expect(shown[at - 1]!.replace(/\n/g, '')).toMatch(patternOf(output)),
  );

  it('publishes a page of the dataset', async () => {
    const response = await fetch(`${base}/dataset/river-levels`);
    expect({ status: response.status, text: await response.text() }).toEqual({
      status: 200,
      text: expect.stringContaining('River levels'),
    });
  });
});
