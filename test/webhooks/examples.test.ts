/** The example programs in docs/webhooks.md verify signatures correctly. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';
import { newWebhookSecret, signedHeaders } from '../../src/webhooks/signature.ts';

const page = readFileSync(join(projectRoot, 'docs/webhooks.md'), 'utf8');
const example = (language: string): string => new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(page)![1]!;

const [secret, other] = [newWebhookSecret(), newWebhookSecret()];
const body = '{"name":"Flüsse"}';
const now = new Date();
const headers = (secrets: string[], at = now) => signedHeaders('msg_1', at, body, secrets);
const old = new Date(now.getTime() - 600_000);
/** Secret, headers, body, and whether the signature is valid. */
const CASES: [string, Readonly<Record<string, string>>, string, boolean][] = [
  [secret, headers([secret]), body, true],
  [secret, headers([other, secret]), body, true],
  [secret, headers([other]), body, false],
  [secret, headers([secret]), `${body} `, false],
  [secret, headers([secret], old), body, false],
  [secret, { ...headers([secret]), 'webhook-id': 'msg_2' }, body, false],
  [secret, {}, body, false],
];
const cases = JSON.stringify(CASES.map((one) => one.slice(0, 3)));
const expected = CASES.map(([, , , isGenuine]) => isGenuine);

describe('the example in', () => {
  it('Node', () => {
    const program = `${example('js')}
      console.log(JSON.stringify(${cases}.map((one) => isGenuine(...one))));`;
    const said = execFileSync(process.execPath, ['--input-type=module', '-'], { input: program, encoding: 'utf8' });
    expect(JSON.parse(said)).toEqual(expected);
  });

  const hasPython = spawnSync('python3', ['--version']).status === 0;
  (hasPython ? it : it.skip)('Python', () => {
    const program = `${example('python')}
import json, sys
print(json.dumps([is_genuine(*one) for one in json.loads(sys.stdin.read())]))`;
    const said = execFileSync('python3', ['-c', program], { input: cases, encoding: 'utf8' });
    expect(JSON.parse(said)).toEqual(expected);
  });
});
