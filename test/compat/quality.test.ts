/**
 * Compares quality scores of real metadata and generated datasets with those of an independent program, which reads the linked data with
 * rdflib and pyshacl.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from '@jest/globals';
import { projectRoot } from '../../src/kernel/root.ts';
import { CHECKS, DIMENSIONS } from '../../src/quality/method.rules.ts';
import * as data from '../../src/quality/vocabularies.data.ts';
import { hasPython, installPython } from '../helpers/python.ts';
import { madeDatasets } from '../helpers/quality.ts';
import { describeWith, INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { createSampleWorld } from '../helpers/sample.ts';
import { createWorld, type World } from '../helpers/world.ts';

const SHAPES = join(projectRoot, 'test/compat/shacl/dcat-ap-3.0.1_shapes.ttl');
const MINUTES = 60_000;

/** A score in the common form of both sides. */
interface Score {
  points: number;
  rating: string;
  dimensions: Record<string, number>;
  checks: string;
  stars: number;
}

const QUERY = `query Scores($after: String) {
  datasets(first: 100, after: $after, where: { states: [ACTIVE, DRAFT] }, orderBy: { field: QUALITY }) {
    nodes { name quality { points rating stars faults dimensions { name points checks { name state points maximum } } } }
    pageInfo { hasNextPage endCursor }
  }
}`;
const LETTERS: Record<string, string> = { MET: '1', UNMET: '0', UNKNOWN: '?' };

/** Scores of every dataset, read by GraphQL. */
async function scoresOfGraph(world: World): Promise<Record<string, Score>> {
  const as = await world.make.sysadmin();
  const found: Record<string, Score> = {};
  let last = -1;
  for (let after: string | null = null, more = true; more; ) {
    const { body } = await world.graph(QUERY, { after }, { as });
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    const { nodes, pageInfo } = body.data.datasets;
    for (const { name, quality } of nodes) {
      expect(quality.points).toBeGreaterThanOrEqual(last); // sorted by ascending score
      last = quality.points;
      const checks = quality.dimensions.flatMap((dimension: any) => dimension.checks);
      expect(checks.map((check: any) => check.name)).toEqual(CHECKS.map((check) => check.name));
      found[name] = {
        points: quality.points,
        rating: quality.rating,
        dimensions: Object.fromEntries(quality.dimensions.map((it: any) => [it.name, it.points])),
        checks: checks.map((check: any) => LETTERS[check.state]).join(''),
        stars: quality.stars,
      };
    }
    [after, more] = [pageInfo.endCursor, pageInfo.hasNextPage];
  }
  return found;
}

/** Scores of every dataset, computed by the Python program. */
async function scoresOfPython(world: World, names: readonly string[], env: NodeJS.ProcessEnv) {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-quality-'));
  try {
    const as = await world.make.sysadmin();
    const links = await world.database.db.resourceLink.findMany();
    const verdicts = new Map(links.map(({ resourceId, verdict }) => [resourceId, verdict]));
    for (const name of names) {
      const headers = { authorization: as.key };
      const { status, text } = await world.request(`/dataset/${name}.nt`, { headers });
      expect(status).toBe(200);
      const shown = await world.result('package_show', { id: name }, { as });
      const resources = shown.resources.map((it: any) => [
        it.id,
        { url: it.url, own: ['upload', 'datastore'].includes(it.url_type), verdict: verdicts.get(it.id) ?? null },
      ]);
      mkdirSync(join(folder, 'datasets', name), { recursive: true });
      writeFileSync(join(folder, 'datasets', name, 'data.nt'), text);
      const facts = { isopen: shown.isopen, resources: Object.fromEntries(resources) };
      writeFileSync(join(folder, 'datasets', name, 'facts.json'), JSON.stringify(facts));
    }
    writeFileSync(join(folder, 'vocabularies.json'), JSON.stringify(vocabularies()));
    const program = join(projectRoot, 'test/compat/clients/score_quality.py');
    const { stdout } = await promisify(execFile)(
      'python',
      [program, join(folder, 'datasets'), join(folder, 'vocabularies.json'), SHAPES],
      { env, maxBuffer: 2 ** 26 },
    );
    return JSON.parse(stdout) as Record<string, Score>;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function vocabularies() {
  const mimeDb = createRequire(import.meta.url)('mime-db') as Record<string, { source?: string }>;
  const lists: Record<string, string> = {
    'file-type': data.FILE_TYPES,
    'non-proprietary': data.NON_PROPRIETARY,
    'machine-readable': data.MACHINE_READABLE,
    'access-right': data.ACCESS_RIGHTS,
    licence: data.LICENSES,
    'stars-2': data.STARS[2],
    'stars-3': data.STARS[3],
    'stars-4': data.STARS[4],
  };
  const openSource = data.OPEN_SOURCE_DOCUMENTS.split(' ').map((id) => `opensource.org/licenses/${id}`);
  return {
    ...Object.fromEntries(Object.entries(lists).map(([name, codes]) => [name, codes.split(' ')])),
    'license-document': [...data.LICENSE_DOCUMENTS.split(' '), ...openSource],
    'media-type': Object.keys(mimeDb).filter((type) => mimeDb[type]!.source === 'iana'),
  };
}

/** Sets link verdicts, as link checks would. */
async function judgeLinks(world: World): Promise<void> {
  const verdicts = ['ok', 'moved', 'broken', 'forbidden', 'unknown', null];
  const links = await world.database.db.resourceLink.findMany({ orderBy: { resourceId: 'asc' } });
  const groups = verdicts.map((_, n) => links.filter((_link, index) => index % verdicts.length === n));
  for (const [n, verdict] of verdicts.entries())
    await world.database.db.resourceLink.updateMany({
      where: { resourceId: { in: groups[n]!.map(({ resourceId }) => resourceId) } },
      data: { verdict, checkedAt: new Date(), since: new Date() },
    });
}

describeWith('python3 with venv', hasPython(), 'scores of rdflib 7 and pyshacl 0.40', () => {
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    env = await installPython('pyshacl', '0.40.1');
  }, INSTALL_TIMEOUT);

  it(
    'match for every dataset of the real sample',
    async () => {
      const world = await createSampleWorld();
      try {
        await judgeLinks(world);
        await world.app.score();
        const names: string[] = await world.result('package_list');
        const ours = await scoresOfGraph(world);
        expect(Object.keys(ours).sort()).toEqual([...names].sort());
        expect(names.length).toBeGreaterThan(950);
        expect(ours).toEqual(await scoresOfPython(world, names, env));
        // The sample both passes and fails each check on which real metadata differs.
        const letters = new Set(Object.values(ours).flatMap(({ checks }) => [...checks].map((it, n) => `${n}${it}`)));
        expect(letters.size).toBeGreaterThan(CHECKS.length + 5);
        expect(new Set(Object.values(ours).map(({ points }) => points)).size).toBeGreaterThan(10);
      } finally {
        await world.end();
      }
    },
    10 * MINUTES,
  );

  it(
    'match for generated datasets that pass and fail each check',
    async () => {
      const world = await createWorld();
      try {
        const made = await madeDatasets(world);
        expect(made.length).toBeGreaterThanOrEqual(50);
        await world.app.score();
        const ours = await scoresOfGraph(world);
        expect(Object.keys(ours).sort()).toEqual(made.map(({ name }) => name).sort());
        expect(ours).toEqual(await scoresOfPython(world, Object.keys(ours), env));
        for (const { name, expected } of made) {
          const { checks } = ours[name]!;
          const states = Object.fromEntries(CHECKS.map((check, n) => [check.name, checks[n]]));
          expect({ name, ...states }).toMatchObject({ name, ...expected });
        }
        for (const [n, { name }] of CHECKS.entries()) {
          const found = new Set(Object.values(ours).map(({ checks }) => checks[n]));
          // The catalog knows the creation and modification time of every dataset.
          expect([name, found.has('1'), found.has('0')]).toEqual([name, true, !['ISSUED', 'MODIFIED'].includes(name)]);
        }
        expect(new Set(Object.values(ours).map(({ rating }) => rating)).size).toBe(4);
        expect(new Set(Object.values(ours).map(({ stars }) => stars))).toEqual(new Set([0, 1, 2, 3, 4]));
        expect(Math.max(...Object.values(ours).map(({ points }) => points))).toBe(405);
        expect(Object.keys(ours.full!.dimensions)).toEqual([...DIMENSIONS]);
      } finally {
        await world.end();
      }
    },
    10 * MINUTES,
  );
});
