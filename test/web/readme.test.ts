/** The curl commands of README.md, in their order, against a site with default settings. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';
import { describeWith, isThere } from '../helpers/runtime.ts';
import { createWorld, MAIN, type World } from '../helpers/world.ts';

const BLOCK = /^```sh\n(.*?)^```$/gms;
const commands = [...readFileSync(join(projectRoot, 'README.md'), 'utf8').matchAll(BLOCK)]
  .flatMap(([, block]) => block!.split(/^(?=\S)/m))
  .filter((command) => command.startsWith('curl '));

describeWith('curl', isThere('curl'), 'the README', () => {
  let world: World;
  let key: string;
  beforeAll(async () => {
    const defaults = Object.fromEntries(Object.keys(MAIN).map((name) => [name, false]));
    world = await createWorld(defaults);
    await world.datastore();
    ({ key } = await world.make.sysadmin());
  });
  afterAll(() => world.end());

  it('has commands to run', () => expect(commands.length).toBeGreaterThan(4));

  it.each(commands)('%s', async (command) => {
    const here = command.replaceAll('http://localhost:5000', world.base).replace(/^curl/, 'curl -sS --fail');
    const { stdout } = await promisify(execFile)('sh', ['-c', here], { env: { ...process.env, KEY: key } });
    const answer = JSON.parse(stdout);
    const { success = true, result, data, records, errors } = answer;
    expect({ success, errors }).toEqual({ success: true, errors: undefined });
    const found = JSON.stringify(result ?? data ?? records ?? answer);
    expect(found).toMatch(/rivers|water-office|Bridge/);
  });
});
