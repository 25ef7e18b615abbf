/** `catalog statistics check|rebuild`: stored counts. */
import { statisticsCheck, statisticsRebuild } from '../statistics/check.service.ts';
import { operator, withCatalog } from './catalog.ts';
import { type Command, CommandFailure } from './command.ts';

/** `catalog statistics check`: prints a line per count that differs from the rows: its key, the stored and the right numbers. */
export const check: Command = async (_args, context) => {
  const { counts, faults } = await withCatalog(context, ({ app }) => statisticsCheck(app.callAs(operator)));
  for (const { key, expected, stored } of faults)
    console.log(`${key}: ${stored ?? 'missing'}, should be ${expected ?? 'absent'}`);
  if (faults.length > 0)
    throw new CommandFailure(
      `${faults.length} counts differ from the rows. To count again, run: catalog statistics rebuild`,
    );
  console.log(`${counts} counts match the rows.`);
};

/** `catalog statistics rebuild`: counts all datasets, users and changes again, and prints the number of objects. */
export const rebuild: Command = async (_args, context) => {
  const objects = await withCatalog(context, ({ app }) => statisticsRebuild(app.callAs(operator)));
  console.log(`${objects} datasets and users counted, and the change log.`);
};
