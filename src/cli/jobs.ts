/** `catalog jobs …` and `catalog loads …`: background jobs, through the graph. A load is a job that fills the table of a resource. */
import {
  CommandJobCancelDocument,
  CommandJobRetryDocument,
  CommandJobsDocument,
  type CommandJobsQueryVariables,
  CommandLoadDocument,
} from '../generated/operations.ts';
import { CatalogError } from '../kernel/errors.ts';
import { type Catalog, operator, withCatalog } from './catalog.ts';
import { type Command, type CommandContext, CommandFailure, refusalText, UsageError } from './command.ts';
import { confirm } from './confirm.ts';
import { isoOf, upTo } from './every.ts';
import { choiceOf, limitOf, readArgs } from './options.ts';
import { printRows } from './print.ts';

type Where = CommandJobsQueryVariables['where'];

const STATES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
const findJobs = ({ app }: Catalog, where: Where, limit: number) =>
  upTo(limit, async (page) => (await app.run(CommandJobsDocument, { where, ...page }, app.callAs(operator))).jobs);

interface Listed {
  readonly state?: string | undefined;
  readonly dataset?: string | undefined;
  readonly limit?: string | undefined;
  readonly json?: boolean | undefined;
}

async function printJobs(context: CommandContext, kind: string | undefined, values: Listed): Promise<void> {
  const state = choiceOf('state', values.state, STATES);
  const where = {
    kind: kind ?? null,
    dataset: values.dataset ?? null,
    state: state && (state.toUpperCase() as Uppercase<typeof state>),
  };
  const limit = limitOf(values.limit);
  const jobs = await withCatalog(context, (catalog) => findJobs(catalog, where, limit));
  const rows = jobs.map((job) => ({
    id: job.databaseId,
    kind: job.kind,
    state: job.state.toLowerCase(),
    subject: `${job.subjectType} ${job.subjectId}`,
    attempts: `${job.attempts}/${job.maxAttempts}`,
    createdAt: isoOf(job.createdAt),
    runAt: isoOf(job.runAt),
    finishedAt: isoOf(job.finishedAt),
    error: job.error ?? null,
  }));
  printRows(rows, values.json, 'No job.');
}

export const list: Command = async (args, context) => {
  const { values } = readArgs('jobs list', args);
  await printJobs(context, values.kind, values);
};

export const loads: Command = async (args, context) => printJobs(context, 'load', readArgs('loads list', args).values);

/**
 * Does one piece of work per id. Prints a line for each refusal. With `isAll`, a CONFLICT is not a failure: another job does the work, or
 * has done it. @throws CommandFailure if any was refused
 */
async function each(
  ids: readonly string[],
  done: string,
  work: (id: string) => Promise<unknown>,
  isAll = false,
): Promise<void> {
  let [refused, needless] = [0, 0];
  for (const id of ids)
    try {
      await work(id);
    } catch (thrown) {
      if (!(thrown instanceof CatalogError)) throw thrown;
      if (isAll && thrown.kind === 'CONFLICT') needless += 1;
      else refused += 1;
      console.error(`${id}: ${refusalText(thrown)}`);
    }
  console.log(`${ids.length - refused - needless} of ${ids.length} ${done}.`);
  if (refused > 0) throw new CommandFailure(`${refused} refused. The lines above give the reasons.`);
}

/** Ids of jobs: the given words, or all jobs of `where`. @throws UsageError unless exactly one of both is given */
async function idsOf(
  catalog: Catalog,
  words: readonly string[],
  where: Where | null,
  option: string,
): Promise<readonly string[]> {
  checkChoice(words, where !== null, option);
  return where === null ? words : (await findJobs(catalog, where, Infinity)).map(({ databaseId }) => databaseId);
}

function checkChoice(words: readonly string[], isAll: boolean, option: string): void {
  if (words.length > 0 === isAll) throw new UsageError(`Give ids, or --${option} for all. Not both.`);
}

const cancel = ({ app }: Catalog, id: string) =>
  app.run(CommandJobCancelDocument, { input: { id } }, app.callAs(operator));
const again = ({ app }: Catalog, id: string) =>
  app.run(CommandJobRetryDocument, { input: { id } }, app.callAs(operator));

export const retry: Command = async (args, context) => {
  const { values, words } = readArgs('jobs retry', args);
  const where = values.failed ? ({ state: 'FAILED', kind: values.kind ?? null } as const) : null;
  checkChoice(words, where !== null, 'failed');
  await withCatalog(context, async (catalog) =>
    each(await idsOf(catalog, words, where, 'failed'), 'jobs queued again', (id) => again(catalog, id), where !== null),
  );
};

export const drop: Command = async (args, context) => {
  const { values, words } = readArgs('jobs drop', args);
  const where = values.queued ? ({ state: 'QUEUED', kind: values.kind ?? null } as const) : null;
  checkChoice(words, where !== null, 'queued');
  await confirm('This cancels jobs. Their work is not done.', 'drop', values.yes);
  await withCatalog(context, async (catalog) =>
    each(await idsOf(catalog, words, where, 'queued'), 'jobs cancelled', (id) => cancel(catalog, id), where !== null),
  );
};

export const loadRetry: Command = async (args, context) => {
  const { values, words } = readArgs('loads retry', args);
  checkChoice(words, values.failed === true, 'failed');
  await withCatalog(context, async (catalog) => {
    const { app } = catalog;
    if (!values.failed)
      return each(words, 'loads queued', (resourceId) =>
        app.run(CommandLoadDocument, { input: { resourceId } }, app.callAs(operator)),
      );
    const ids = await idsOf(catalog, [], { kind: 'load', state: 'FAILED' }, 'failed');
    return each(ids, 'loads queued', (id) => again(catalog, id), true);
  });
};

export const loadDrop: Command = async (args, context) => {
  const { values, words } = readArgs('loads drop', args);
  checkChoice(words, values.queued === true, 'queued');
  await confirm('This cancels loads. The tables do not change.', 'drop', values.yes);
  await withCatalog(context, async (catalog) => {
    const wheres: Where[] = values.queued
      ? [{ kind: 'load', state: 'QUEUED' }]
      : words.flatMap((subject) => (['QUEUED', 'RUNNING'] as const).map((state) => ({ kind: 'load', subject, state })));
    const found = await Promise.all(wheres.map((where) => findJobs(catalog, where, Infinity)));
    const jobs = found.flat();
    const idle = words.filter((word) => !jobs.some(({ subjectId }) => subjectId === word));
    for (const word of idle) console.error(`${word}: no load is queued or running.`);
    await each(
      jobs.map(({ databaseId }) => databaseId),
      'loads cancelled',
      (id) => cancel(catalog, id),
      values.queued,
    );
    if (idle.length > 0) throw new CommandFailure(`${idle.length} resources without a load.`);
  });
};
