/** `catalog changes status` and `catalog changes prune`: the retained change log. */
import { CatalogError } from '../kernel/errors.ts';
import { DAY } from '../kernel/time.ts';
import { changesPrune, changesState } from '../operations/prune.service.ts';
import { operator, withCatalog } from './catalog.ts';
import { type Command, CommandFailure, UsageError } from './command.ts';
import { confirm } from './confirm.ts';
import { isoOf } from './every.ts';
import { numberOf, readArgs } from './options.ts';
import { printObject } from './print.ts';

export const status: Command = async (args, context) => {
  const { json } = readArgs('changes status', args).values;
  const { oldestAt, ...state } = await withCatalog(context, ({ app }) => changesState(app.callAs(operator)));
  printObject({ ...state, oldestAt: isoOf(oldestAt) }, json);
};

export const prune: Command = async (args, context) => {
  const { values } = readArgs('changes prune', args);
  const days = numberOf('days', values.days, 1, 36_500);
  if (days === null) throw new UsageError('catalog changes prune: --days N is required.');
  const { force, 'dry-run': dryRun } = values;
  if (!dryRun) await confirm(`This removes changes older than ${days} days from the log.`, 'prune', values.yes);
  const before = new Date(Date.now() - days * DAY);
  try {
    const { changes, webhooks } = await withCatalog(context, ({ app }) =>
      changesPrune(app.callAs(operator), { before, force, dryRun }),
    );
    for (const webhook of webhooks) console.error(`loses changes: webhook ${webhook}`);
    console.log(`${changes} changes ${dryRun ? 'would be pruned' : 'pruned'}.`);
  } catch (thrown) {
    if (!(thrown instanceof CatalogError && thrown.kind === 'CONFLICT')) throw thrown;
    throw new CommandFailure(
      `${thrown.message}. Nothing was pruned. Retry later, or add --force to prune anyway. The webhooks are disabled when they next run.`,
    );
  }
};
