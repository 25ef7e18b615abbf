/** `catalog harvest`: imports another catalog or a DCAT feed, or its changes since the last run. */
import { identifyUser } from '../accounts/identity/identity.service.ts';
import { userShow } from '../accounts/user/user.service.ts';
import { AlreadyRunning, harvest } from '../harvest/run/harvest.ts';
import { OUTCOMES, type RunRecord } from '../harvest/run/run.store.ts';
import { type SourceRecord, sourceCreate, sourceShow } from '../harvest/source/source.service.ts';
import type { Actor, Call } from '../kernel/call.ts';
import { orNull } from '../kernel/errors.ts';
import { type Catalog, operator, withCatalog } from './catalog.ts';
import { type Command, CommandFailure, UsageError } from './command.ts';
import { choiceOf, readArgs } from './options.ts';
import { createProgress } from './progress.ts';

export const command: Command = async (args, context) => {
  const { values, words } = readArgs('harvest', args);
  const named = words[0]!;
  const kind = choiceOf('kind', values.kind, ['ckan', 'dcat']) === 'dcat' ? 'DCAT' : 'CKAN';
  await withCatalog(context, async (catalog) => {
    const call = catalog.app.callAs(operator);
    const known = await orNull(sourceShow(call, named));
    const ignored = OF_NEW_SOURCES.filter(
      (option) => known && values[option] !== undefined && (option !== 'kind' || known.kind.toUpperCase() !== kind),
    );
    if (ignored.length > 0)
      console.error(
        `Ignored, because the source exists: ${ignored.map((option) => `--${option}`).join(', ')}. updateHarvestSource changes it.`,
      );
    const source =
      known ??
      (await sourceCreate(call, {
        url: addressOf(named),
        kind,
        organization: values.organization,
        apiKey: values['api-key'],
        perSecond: values['per-second'] === undefined ? null : Number(values['per-second']),
        adopt: values.adopt,
      }));
    const actor = await actorOf(call, values.user);
    const { full, force } = values;
    const run = await runSource(catalog, source, actor, { ...(full && { full }), ...(force && { force }) });
    console.log(describeRun(run));
    if (run.state !== 'done') throw new CommandFailure(run.message ?? 'The run failed.');
    if (run.failed > 0)
      throw new CommandFailure(
        `${run.failed} ${run.failed === 1 ? 'record' : 'records'} failed. The lines above give the reasons. The next run retries them.`,
      );
  });
};

/** Options that take effect when the source is created. */
const OF_NEW_SOURCES = ['kind', 'organization', 'api-key', 'per-second', 'adopt'] as const;

function addressOf(named: string): string {
  if (!URL.canParse(named)) throw new UsageError(`"${named}" is neither a known source nor a URL.`);
  return named;
}

async function actorOf(call: Call, user: string | undefined): Promise<Actor> {
  if (user === undefined) return operator;
  const actor = await identifyUser(call, (await userShow(call, user)).id);
  if (!actor) throw new UsageError(`The user ${user} is not active.`);
  return actor;
}

async function runSource(
  { app, database }: Catalog,
  source: SourceRecord,
  actor: Actor,
  how: { full?: boolean; force?: boolean },
): Promise<RunRecord> {
  let progress = createProgress(null);
  let known: number | null = null;
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal);
  try {
    return await harvest({
      runner: { run: app.run, call: () => app.callAs(actor) },
      source,
      databaseUrl: database.url,
      mayReachPrivate: true,
      signal: stop.signal,
      ...how,
      onProgress: (done, total) => {
        if (total !== known) [progress, known] = [createProgress(total), total];
        progress.report(done, `${done} datasets`);
      },
      onRemark: (line) => progress.say(line),
    });
  } catch (thrown) {
    if (thrown instanceof AlreadyRunning) throw new CommandFailure(thrown.message);
    throw thrown;
  } finally {
    process.off('SIGINT', onSignal);
    progress.stop();
  }
}

function describeRun(run: RunRecord): string {
  const counts = OUTCOMES.map((outcome) => `${run[outcome]} ${outcome}`).join(', ');
  const took = run.finishedAt ? (run.finishedAt.getTime() - run.startedAt.getTime()) / 1_000 : 0;
  return `${counts}; ${took.toFixed(1)} s`;
}
