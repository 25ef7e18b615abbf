/** Child programs: messages arrive complete, and the server survives every failure of a program. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MAX_FRAME, portOn } from '../../../src/infra/worker/frames.ts';
import { startProgram } from '../../../src/infra/worker/program.ts';
import { projectRoot } from '../../../src/kernel/root.ts';
import { until } from '../../helpers/until.ts';

/** A folder for a test module inside the build output. */
const FOLDER = `test-programs-${process.pid}`;
const PROGRAM = `export async function run(port) {
  for (let order = await port.next(); order !== null; order = await port.next()) {
    if (Buffer.isBuffer(order)) await port.send(order);
    else if (order.what === 'env') await port.send({ env: process.env, pid: process.pid });
    else if (order.what === 'throw') throw new Error('a defect');
    else if (order.what === 'heap') { const all = []; for (;;) all.push({ n: all.length }); }
    else if (order.what === 'buffers') { const all = []; for (;;) all.push(Buffer.alloc(10_000_000, 1)); }
    else if (order.what === 'loop') for (;;);
    else if (order.what === 'end') process.kill(process.pid, 'SIGKILL');
    else if (order.what === 'log') { console.log('to nobody'); await port.send({ ok: true }); }
  }
}`;
beforeAll(() => {
  mkdirSync(join(projectRoot, 'dist', FOLDER), { recursive: true });
  writeFileSync(join(projectRoot, 'dist', FOLDER, 'program.js'), PROGRAM);
});
afterAll(() => rmSync(join(projectRoot, 'dist', FOLDER), { recursive: true, force: true }));

const start = (timeout = 60_000) => startProgram({ module: `${FOLDER}/program`, memory: 96 * 2 ** 20, timeout });

it('receives messages up to the maximum size, complete and in order', async () => {
  const line = new PassThrough();
  const port = portOn(line, line);
  const sizes = [0, 1, 65_536, MAX_FRAME];
  const sent = (async () => {
    for (const size of sizes) await port.send(Buffer.alloc(size, size % 251));
    await port.send({ text: 'é'.repeat(100_000) });
  })();
  for (const size of sizes) expect(Buffer.alloc(size, size % 251).equals((await port.next()) as Buffer)).toBe(true);
  expect(await port.next()).toEqual({ text: 'é'.repeat(100_000) });
  await sent;
  line.write(Buffer.from([255, 255, 255, 255, 1]));
  await expect(port.next()).rejects.toThrow('at most');
});

it('a program communicates only over its port, and does not see the environment of the server', async () => {
  process.env.CATALOG_TEST_SECRET = 'secret';
  const program = start();
  try {
    await program.send(Buffer.alloc(1_000_000, 7));
    expect((await program.next()) as Buffer).toHaveLength(1_000_000);
    await program.send({ what: 'log' });
    expect(await program.next()).toEqual({ ok: true });
    await program.send({ what: 'env' });
    const { env } = (await program.next()) as { env: Record<string, string> };
    expect(JSON.stringify(env)).not.toContain('secret');
  } finally {
    program.end();
    delete process.env.CATALOG_TEST_SECRET;
  }
});

it.each([
  ['heap', /memory|crashed/],
  ['throw', /a defect/],
  ['end', /killed/],
])('reports why a program ended: %s', async (what, message) => {
  const program = start();
  await program.send({ what });
  await expect(program.next()).rejects.toThrow(message);
  await expect(program.next()).rejects.toThrow();
  program.end();
});

const onLinux = process.platform === 'linux' ? it : it.skip;
onLinux('buffers count as memory', async () => {
  const program = start();
  await program.send({ what: 'buffers' });
  await expect(program.next()).rejects.toMatchObject({ reason: expect.stringMatching('memory|crashed') });
  program.end();
});

it('ends a silent program after a timeout, but not while it waits for the server', async () => {
  const program = start(1_000);
  let isRead = false;
  const next = program.next();
  await program.untimed(
    () =>
      new Promise<void>((resolve) =>
        setTimeout(() => {
          isRead = true;
          resolve();
        }, 1_300),
      ),
  );
  await program.send(Buffer.from('x'));
  expect(String(await next)).toBe('x');
  expect(isRead).toBe(true);
  await program.send({ what: 'loop' });
  await expect(program.next()).rejects.toMatchObject({ reason: 'timeout' });
});

onLinux('a program ends with its server', async () => {
  const module = join(projectRoot, 'dist/src/infra/worker/program.js');
  const text = `const { startProgram } = await import(${JSON.stringify(module)});
    const program = startProgram({ module: '${FOLDER}/program', memory: 96 * 2 ** 20 });
    await program.send({ what: 'env' });
    console.log((await program.next()).pid);
    process.kill(process.pid, 'SIGKILL');`;
  let pid = 0;
  try {
    execFileSync(process.execPath, ['--input-type=module', '-e', text], { encoding: 'utf8', stdio: 'pipe' });
  } catch (thrown) {
    pid = Number((thrown as { stdout: string }).stdout);
  }
  expect(pid).toBeGreaterThan(0);
  await until(async () => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  });
});
