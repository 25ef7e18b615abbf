/** The examples of clients/typescript/README.md: their types are right in a browser's and in Node's terms, and they run, one after the other. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';
import { freePort } from '../helpers/port.ts';
import { createWorld, type World } from '../helpers/world.ts';

const FOLDER = join(projectRoot, '.cache/client-readme');
const CLIENT = '../../clients/typescript';
const readme = readFileSync(join(projectRoot, 'clients/typescript/README.md'), 'utf8');
const examples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code).join('\n');

let world: World;
beforeAll(async () => {
  const port = await freePort();
  world = await createWorld({ 'catalog.port': port, 'catalog.site_url': `http://127.0.0.1:${port}` });
});
afterAll(() => world.end());

it('has its examples right', async () => {
  const admin = await world.make.sysadmin();
  const code = examples
    .replace("'catalog-gateway-client'", `'${CLIENT}/src/index.ts'`)
    .replace("'https://data.example.org'", JSON.stringify(world.base))
    .replace("'your API key'", JSON.stringify(admin.key));
  expect(code).toContain(world.base);
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, `example-${process.pid}.ts`);
  writeFileSync(file, code);
  writeFileSync(
    join(FOLDER, 'tsconfig.json'),
    JSON.stringify({ extends: `${CLIENT}/tsconfig.json`, include: [`./example-${process.pid}.ts`] }),
  );
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const checked = await promisify(execFile)(process.execPath, [tsc, '-p', FOLDER]).catch((failure) => failure);
  expect(checked.stdout).toBe('');

  const said: string[] = [];
  const log = jest.spyOn(console, 'log').mockImplementation((...words) => void said.push(words.join(' ')));
  try {
    await import(file);
  } finally {
    log.mockRestore();
  }
  const text = said.join('\n');
  expect(text).toContain('1 River levels');
  expect(text).toContain('read again: the version is 1');
  expect(text).toMatch(/\/levels\.csv$/m);
  expect(text).toMatch(/^(CREATED|UPDATED) river-levels \S+$/m);
  expect(text).toMatch(/River levels$/);
});
