/** Runs replay.py against a world, and selects the steps that count. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CommandUserAddDocument } from '../../src/generated/operations.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import type { Settings } from '../../src/kernel/settings.ts';
import { freePort } from '../helpers/port.ts';
import { createWorld, MAIN, type World } from '../helpers/world.ts';

const HERE = join(projectRoot, 'test/compat/conformance');

export const AREAS = [
  'action-envelope',
  'auth-matrix',
  'datastore-read',
  'datastore-write',
  'follow-activity',
  'group-org-read',
  'group-org-write',
  'legacy-rest',
  'legacy-search',
  'legacy-util',
  'linked-data',
  'package-read',
  'package-search',
  'package-write',
  'resource-read',
  'resource-views',
  'resource-write',
  'tag-vocab-misc-read',
  'user-read',
  'user-write',
  'vocab-related-misc-write',
] as const;

export type Profile = 'contract' | 'http';

/** Settings of the recordings (ruling 18). `strict` is the default. */
const CONFIGS: Readonly<Record<'main' | 'strict', Partial<Settings>>> = {
  main: MAIN,
  strict: Object.fromEntries(Object.keys(MAIN).map((name) => [name, false])),
};

/** One step as reported by replay.py. */
export interface Step {
  readonly id: string;
  readonly same: boolean;
  readonly request: string;
  readonly differences: readonly { readonly at: string; readonly expected: string; readonly got: string }[];
}

/** Every step of every area, in the order of the recordings. Each configuration is replayed against its own world. */
export async function replay(profile: Profile): Promise<Step[]> {
  const main = await replayIn('main', profile);
  return [...main, ...(await replayIn('strict', profile))];
}

/** A replay against another kind of world. */
export interface Elsewhere {
  readonly areas: readonly string[];
  /** Opens a world with these settings. `base` is the address that receives the requests. */
  readonly open: (settings: Partial<Settings>, base: string) => Promise<World>;
}

/** Stores the whole report in .cache. `profile` is catalog.action_api.status. */
export async function replayIn(config: keyof typeof CONFIGS, profile: Profile, elsewhere?: Elsewhere): Promise<Step[]> {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const settings = {
    ...CONFIGS[config],
    ...(!elsewhere && { 'catalog.port': port }),
    'catalog.site_url': base,
    'catalog.action_api.status': profile,
    'catalog.site_title': 'CKAN', // as recorded
  };
  const world = await (elsewhere ? elsewhere.open(settings, base) : createWorld(settings));
  await world.datastore();
  const key = randomUUID();
  const control = await serveReset(() => reset(world, key));
  const report = join(projectRoot, '.cache', `replay-${config}-${profile}${elsewhere ? '-elsewhere' : ''}.json`);
  mkdirSync(dirname(report), { recursive: true });
  const words = ['--base', base, '--admin-key', key, '--profile', profile, '--config', config, '--show', '0'];
  for (const area of elsewhere?.areas ?? []) words.push('--area', area);
  try {
    await promisify(execFile)('python3', [
      join(HERE, 'replay.py'),
      ...words,
      '--json',
      report,
      '--reset',
      control.command,
    ]);
    return (JSON.parse(readFileSync(report, 'utf8')) as Step[]).map(withoutWholeSeconds);
  } catch (thrown) {
    throw control.failure() ?? thrown;
  } finally {
    control.close();
    await world.end();
  }
}

/** By the contract, a task status time in a whole second has no fraction. This happens in one write of a thousand. */
function withoutWholeSeconds(step: Step): Step {
  const isWholeSecond = ({ at, expected, got }: Step['differences'][number]) =>
    at.endsWith('.last_updated') && expected === '<ts.f>' && got === '<ts>';
  const isSame = step.differences.length > 0 && step.differences.every(isWholeSecond);
  return isSame ? { ...step, same: true, differences: [] } : step;
}

/** A shell command that runs `work` in this process, for replay.py between scenarios. */
async function serveReset(work: () => Promise<void>) {
  let failure: unknown;
  const server = createServer((_req, res) => {
    work().then(
      () => res.end(),
      (thrown) => {
        failure = thrown;
        res.writeHead(500).end();
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    command: `python3 -c "import urllib.request as u; u.urlopen('${url}', b'')"`,
    failure: () => failure,
    close: () => server.close(),
  };
}

/** Resets to an empty catalog with the sysadmin of the recordings, created like `catalog user add` does. */
async function reset({ app, database, system, dropTables }: World, apiKey: string): Promise<void> {
  await dropTables();
  const { rows } = await database.pool.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename <> '_prisma_migrations'`,
  );
  await database.pool.query(`TRUNCATE ${rows.map(({ name }) => name).join(', ')} RESTART IDENTITY CASCADE`);
  await app.run(
    CommandUserAddDocument,
    { input: { name: 'admin', sysadmin: true, email: 'admin@example.com', apiKey } },
    app.callAs(system),
  );
}
