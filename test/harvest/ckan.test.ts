/** Harvests one catalog into another over HTTP: real metadata first, then changes. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { portableLines } from '../../src/cli/export.ts';
import { harvest } from '../../src/harvest/run/harvest.ts';
import type { RunRecord } from '../../src/harvest/run/run.store.ts';
import { type SourceRecord, sourceCreate, sourceShow } from '../../src/harvest/source/source.service.ts';
import { KINDS } from '../../src/records/kinds.ts';
import { createSampleWorld } from '../helpers/sample.ts';
import { createWorld, type World } from '../helpers/world.ts';

const DATASETS = 954;
let there: World;
let here: World;
let source: SourceRecord;
let said: string[];

beforeAll(async () => {
  [there, here] = await Promise.all([createSampleWorld(), createWorld()]);
  const [name] = await there.result('organization_list', {});
  const { id } = await there.result('organization_show', { id: name });
  await there.make.dataset({ name: 'not-for-others', private: true, ownerOrganization: id });
  source = await sourceCreate(here.app.callAs(here.system), {
    url: `${there.base}/api/3/`,
    kind: 'CKAN',
    perSecond: 1_000,
  });
});
afterAll(() => Promise.all([there.end(), here.end()]));

async function run(how: { full?: boolean; force?: boolean } = {}): Promise<RunRecord> {
  said = [];
  const call = () => here.app.callAs(here.system);
  return harvest({
    runner: { run: here.app.run, call },
    source: await sourceShow(call(), source.id),
    databaseUrl: here.database.url,
    mayReachPrivate: true,
    onRemark: (line) => said.push(line),
    ...how,
  });
}

async function exported({ app }: World): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of portableLines(app, KINDS, false)) lines.push(line);
  return lines;
}

const written = async () =>
  (
    await here.database.pool.query(
      'SELECT (SELECT count(*)::int FROM revision) AS revisions, (SELECT count(*)::int FROM change) AS changes',
    )
  ).rows[0];
const none = { created: 0, updated: 0, unchanged: 0, deleted: 0, failed: 0 };
const as = () => there.make.sysadmin();

it('copies everything, so that both exports are equal', async () => {
  expect({ ...(await run()), said }).toMatchObject({ ...none, state: 'done', created: DATASETS, said: [] });
  const [wanted, got] = [await exported(there), await exported(here)];
  expect(wanted.filter((line) => line.includes('"resources"'))).toHaveLength(DATASETS);
  expect(got).toEqual(wanted);
});

it('writes nothing in a second run, incremental or full', async () => {
  const before = await written();
  expect(await run()).toMatchObject({ ...none, state: 'done', unchanged: expect.any(Number) });
  expect(await run({ full: true })).toMatchObject({ ...none, state: 'done', unchanged: DATASETS });
  expect(await written()).toEqual(before);
});

it('copies an edit, a rename, a deletion and a new dataset', async () => {
  const admin = await as();
  const [edited, renamed, deleted] = (await there.result('package_list')) as string[];
  await there.result('package_patch', { id: edited, title: 'Edited', tags: [{ name: 'water' }] }, { as: admin });
  await there.result('package_patch', { id: renamed, name: 'another-name' }, { as: admin });
  await there.result('package_delete', { id: deleted }, { as: admin });
  const [organization] = (await there.result('organization_list')) as string[];
  await there.result('organization_patch', { id: organization, title: 'Another title' }, { as: admin });
  await there.result(
    'package_create',
    { name: 'brand-new', owner_org: organization, relationships_as_subject: [{ object: edited, type: 'depends_on' }] },
    { as: admin },
  );
  expect({ ...(await run()), said }).toMatchObject({ state: 'done', created: 1, deleted: 1, failed: 0, said: [] });
  expect(await exported(here)).toEqual(await exported(there));
  const before = await written();
  await run();
  expect(await written()).toEqual(before);
});
