/**
 * Schemathesis generates requests from /openapi.json and checks every response at both levels of the Action API. It reports 5xx, and any
 * status, content type, header or body that is not described. Half of the parameters that name an object name an existing one.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { it } from '@jest/globals';
import { type Known, kindOf, makeKnown } from '../helpers/known.ts';
import { hasPython, installPython } from '../helpers/python.ts';
import { describeWith } from '../helpers/runtime.ts';
import { createWorld } from '../helpers/world.ts';

const MINUTES = 60_000;
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];
/** Boundary values of the description, and random values with a fixed seed. */
const RUNS = {
  '2.11': [
    ['--phases=coverage', '--mode=positive'],
    ['--phases=fuzzing', '--mode=all', '--max-examples=6'],
  ],
  '2.4': [['--phases=fuzzing', '--mode=positive', '--max-examples=6']],
};

describeWith('python3 with venv', hasPython(), 'Schemathesis 4.32.5', () => {
  it.each(['2.11', '2.4'] as const)(
    'finds only described responses at level %s',
    async (level) => {
      const env = await installPython('schemathesis', '4.32.5');
      const world = await createWorld({ 'catalog.action_api.level': level });
      await world.datastore();
      const folder = mkdtempSync(join(tmpdir(), 'catalog-schemathesis-'));
      const file = join(folder, 'openapi.json');
      try {
        const { key } = await world.make.sysadmin();
        const { body: api } = await world.request('/openapi.json');
        for (const words of RUNS[level]) {
          writeFileSync(file, JSON.stringify(knowing(api, await makeKnown(world))));
          await run(folder, env, [file, '--url', world.base, '--header', `Authorization: ${key}`, ...words]);
        }
      } finally {
        rmSync(folder, { recursive: true });
        await world.end();
      }
    },
    15 * MINUTES,
  );
});

/** Runs Schemathesis. @throws Error with its report if it found a fault */
async function run(cwd: string, env: NodeJS.ProcessEnv, words: string[]): Promise<void> {
  const always = [
    '--seed=1',
    '--workers=1', // two threads can break Python 3.11's parser: "AST constructor recursion depth mismatch"
    '--no-shrink',
    '--suppress-health-check=all',
    '--warnings=off',
    '--no-color',
  ];
  const options = { cwd, env, maxBuffer: 64 * 1024 * 1024 };
  await promisify(execFile)('schemathesis', ['run', ...words, ...always, '--checks', CHECKS.join()], options).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${words.join(' ')}\n${stdout.slice(-20_000)}${stderr}`);
    },
  );
}

type Described = { name?: string; schema?: object };

/** The description, extended so that parameters that name an object also offer a known one. */
function knowing(api: any, known: Known): unknown {
  const copy = structuredClone(api);
  delete copy.paths['/import']; // Schemathesis cannot generate lines of JSON (see test/web/import.test.ts)
  for (const [path, operations] of Object.entries<any>(copy.paths)) {
    const action = path.split('/').at(-1)!;
    const orKnown = (name: string, schema: any): unknown => {
      const kind = schema?.type === 'string' && !schema.format ? kindOf(action, name) : undefined;
      return kind ? { anyOf: [{ const: known[kind] }, schema] } : schema;
    };
    for (const { parameters = [], requestBody } of Object.values<any>(operations)) {
      for (const parameter of parameters as Described[])
        if (parameter.schema) parameter.schema = orKnown(parameter.name!, parameter.schema) as object;
      for (const { schema } of Object.values<any>(requestBody?.content ?? {}))
        for (const name of Object.keys(schema.properties ?? {}))
          schema.properties[name] = orKnown(name, schema.properties[name]);
    }
  }
  return copy;
}
