/** `catalog doctor`: checks the installation and prints what to do. Changes nothing. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabases } from '../embedded/databases.ts';
import { migrationState } from '../migrate/migrate.ts';
import { type Catalog, openCatalog } from './catalog.ts';
import { type Command, type CommandContext, CommandFailure } from './command.ts';
import { dataChecks } from './doctor-data.ts';
import { type Check, type Finding, failed, ok, warning } from './doctor-finding.ts';
import { databaseChecks, machineChecks } from './doctor-machine.ts';
import { readArgs } from './options.ts';
import { printRows, textOf } from './print.ts';

/** Names of checks that were not made, because an earlier one failed. */
const skipped = (checks: Readonly<Record<string, unknown>>, why: string): Finding[] =>
  Object.keys(checks).map((check) => ({ check, state: 'skipped', message: why, todo: null }));

export const command: Command = async (args, context) => {
  const { full = false, json } = readArgs('doctor', args).values;
  const findings: Finding[] = [];
  const report = (found: readonly Finding[]): void => {
    findings.push(...found);
    if (!json) for (const finding of found) console.log(lineOf(finding));
  };
  report(await run(machineChecks(context.settings)));
  await checkDatabases(context, full, report);
  if (json) printRows(findings as unknown as Record<string, string>[], true, '');
  const count = findings.filter(({ state }) => state === 'failed').length;
  if (count > 0) throw new CommandFailure(`${count} of ${findings.length} checks failed.`);
};

const MARKS = { ok: 'ok     ', warning: 'warning', failed: 'FAILED ', skipped: 'skipped' } as const;
const lineOf = ({ check, state, message, todo }: Finding): string =>
  `${MARKS[state]}  ${check}: ${textOf(message)}${todo ? `\n         → ${todo}` : ''}`;

const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message || thrown.name : String(thrown);

/** Runs checks one after the other. An error of a check is its finding. */
async function run(checks: Readonly<Record<string, Check>>): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const [check, work] of Object.entries(checks))
    try {
      found.push({ check, ...(await work()) });
    } catch (thrown) {
      found.push({ check, ...failed(messageOf(thrown), null) });
    }
  return found;
}

async function checkDatabases(
  context: CommandContext,
  full: boolean,
  report: (found: readonly Finding[]) => void,
): Promise<void> {
  const { 'catalog.database_url': url, 'catalog.data_dir': folder } = context.settings;
  if (url === null && !existsSync(join(folder, 'postgres'))) {
    const todo = 'Set CATALOG_HOME or DATABASE_URL, or create a catalog: catalog serve';
    return report([{ check: 'database', ...failed(`there is no catalog in ${folder}`, todo) }]);
  }
  let databases: Awaited<ReturnType<typeof openDatabases>> | null = null;
  let catalog: Catalog | null = null;
  try {
    databases = await openDatabases(context.settings, context.log);
    const { settings } = databases;
    const reached = await run({ migrations: () => migrations(settings['catalog.database_url']) });
    report(reached);
    const opened = { ...context, settings };
    if (reached[0]!.state === 'failed') return report(skipped(dataChecks(null, full), 'needs a migrated database'));
    catalog = await openCatalog(opened, { asItIs: true });
    report(await run(databaseChecks(catalog)));
    report(await run(dataChecks(catalog, full)));
  } catch (thrown) {
    if (catalog !== null) throw thrown;
    report([{ check: databases === null ? 'database' : 'catalog', ...failed(messageOf(thrown), null) }]);
    report(skipped(dataChecks(null, full), 'needs a catalog that starts'));
  } finally {
    try {
      await catalog?.close();
    } finally {
      await databases?.close();
    }
  }
}

async function migrations(url: string): Promise<Omit<Finding, 'check'>> {
  const { pending, newer } = await migrationState(url);
  if (pending.length > 0) return failed(`missing: ${pending.join(', ')}`, 'Run: catalog migrate');
  if (newer.length === 0) return ok('all migrations are applied');
  return warning(
    `a newer release has applied ${newer.join(', ')}`,
    'Install the newer release on this machine too (docs/upgrade.md).',
  );
}
