/** Runs replay.py against a world and says which of its steps count. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CommandUserAddDocument } from '../../src/generated/operations.ts';
import { projectRoot } from '../../src/kernel/root.ts';
import { createWorld, type World } from '../helpers/world.ts';

const HERE = join(projectRoot, 'test/compat/conformance');

export const AREAS = [
  'action-envelope',
  'package-read',
  'package-write',
  'resource-read',
  'resource-write',
  'group-org-read',
  'group-org-write',
  'user-read',
  'user-write',
  'tag-vocab-misc-read',
] as const;

/** Actions that are built. Steps of others are sent, as later steps may need them, and not counted. */
const BUILT = new RegExp(
  `^(${[
    'site_read|status_show|help_show|license_list|get_site_user|format_autocomplete|current_package_list_with_resources|dataset_(purge|delete)',
    'package_(list|show|create|update|patch|delete|autocomplete|owner_org_update)',
    'resource_(show|create|update|patch|delete|search)',
    '(group|organization)_(list|show|create|update|patch|delete|purge|list_authz|list_for_user|package_show|autocomplete)',
    '(group|organization)_member_(create|delete)|member_(list|create|delete|roles_list)',
    'user_(list|show|create|update|patch|delete|autocomplete|generate_apikey)',
    'tag_(list|show|create|delete|search|autocomplete)|vocabulary_\\w+',
  ].join('|')})$`,
);

/** Spellings in the envelope's area that are no action's name on purpose. */
const NO_ACTION = /^(no_such|no_such_action|PACKAGE_LIST|package-list)$/;

/** One step as replay.py reports it. */
export interface Step {
  readonly id: string;
  readonly same: boolean;
  readonly request: string;
  readonly differences: readonly { readonly at: string; readonly expected: string; readonly got: string }[];
}

interface Recorded {
  readonly id: string;
  readonly request: { readonly path: string };
}

/** Ids of the steps that count: of the actions that are built, and those of the envelope that are of no action. */
export function countedSteps(): Set<string> {
  const lines = AREAS.flatMap((area) =>
    readFileSync(join(HERE, 'cases', `${area}.jsonl`), 'utf8')
      .split('\n')
      .filter(Boolean),
  );
  const steps = lines.map((line) => JSON.parse(line) as Recorded);
  return new Set(steps.filter(({ id, request }) => counts(id.split('/')[0]!, request.path)).map(({ id }) => id));
}

function counts(area: string, path: string): boolean {
  const action = /^\/api\/(?:3\/)?action\/([^/?]+)$/.exec(path)?.[1];
  if (area === 'action-envelope') return !action || BUILT.test(action) || NO_ACTION.test(action);
  return action !== undefined && BUILT.test(action);
}

/** Replays every area against a world of its own; the whole report stays in .cache. `profile` is catalog.action_api.status. */
export async function replay(profile: 'contract' | 'http'): Promise<Step[]> {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const world = await createWorld({
    'catalog.port': port,
    'catalog.site_url': base,
    'catalog.action_api.status': profile,
    'catalog.site_title': 'CKAN', // as recorded
  });
  const key = randomUUID();
  const control = await serveReset(() => reset(world, key));
  const report = join(projectRoot, '.cache', `replay-${profile}.json`);
  mkdirSync(dirname(report), { recursive: true });
  const words = ['--base', base, '--admin-key', key, '--profile', profile, '--show', '0', '--json', report];
  try {
    await promisify(execFile)('python3', [join(HERE, 'replay.py'), ...words, '--reset', control.command]);
    return JSON.parse(readFileSync(report, 'utf8')) as Step[];
  } catch (thrown) {
    throw control.failure() ?? thrown;
  } finally {
    control.close();
    await world.end();
  }
}

/** A shell command that runs `work` in this process, for replay.py to run between scenarios. */
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

/** An empty catalog with the sysadmin that the recordings begin with, made as `catalog user add` makes one. */
async function reset({ app, database, system }: World, apiKey: string): Promise<void> {
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

/** A port that was free a moment ago: the address must be known before the server is made, as it is in its answers. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
