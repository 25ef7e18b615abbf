/** Real metadata as linked data: reads every dataset in every format with rdflib, and validates it against the shapes of DCAT-AP. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';
import { hasPython, installPython } from '../helpers/python.ts';
import { describeWith, INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { createSampleWorld } from '../helpers/sample.ts';
import { expectedDatasets, readSample } from './sample.ts';

const SHAPES = ['shapes', 'range'].map((name) => join(projectRoot, `test/compat/shacl/dcat-ap-3.0.1_${name}.ttl`));
const SUFFIXES = ['rdf', 'ttl', 'jsonld', 'n3', 'nt'];
/** Faults of the data itself (docs/linked-data.md): DCAT-AP requires a description of every dataset. */
const OWN_FAULTS = {
  'Dataset description MinCountConstraintComponent': expectedDatasets(readSample()).filter(({ notes }) => !notes)
    .length,
};
const MINUTES = 60_000;

describeWith('python3 with venv', hasPython(), 'rdflib 7 and pyshacl 0.40', () => {
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    env = await installPython('pyshacl', '0.40.1');
  }, INSTALL_TIMEOUT);

  it(
    'read all datasets, equal in all formats, with only the faults of the data itself',
    async () => {
      const world = await createSampleWorld();
      const folder = mkdtempSync(join(tmpdir(), 'catalog-rdf-'));
      try {
        const names: string[] = await world.result('package_list');
        for (const name of names) {
          mkdirSync(join(folder, name));
          for (const suffix of SUFFIXES) {
            const { status, text } = await world.request(`/dataset/${name}.${suffix}`);
            expect(status).toBe(200);
            writeFileSync(join(folder, name, `data.${suffix}`), text);
          }
        }
        const program = join(projectRoot, 'test/compat/clients/check_rdf.py');
        const { stdout } = await promisify(execFile)('python', [program, folder, ...SHAPES], {
          env,
          maxBuffer: 2 ** 26,
        });
        const { triples, examples, ...found } = JSON.parse(stdout);
        if (Object.keys(examples).length > 1) console.log(examples);
        expect(triples).toBeGreaterThan(120_000);
        expect(found).toEqual({ datasets: names.length, different: [], complaints: [], violations: OWN_FAULTS });
      } finally {
        await world.end();
        rmSync(folder, { recursive: true });
      }
    },
    10 * MINUTES,
  );
});
