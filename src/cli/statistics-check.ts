import { statisticsCheck } from '../statistics/check.service.ts';
import { operator, withCatalog } from './catalog.ts';
import { type Command, CommandFailure } from './command.ts';

/** `catalog statistics check`: prints a line per count that differs from the rows: its key, the stored and the right numbers. */
export const command: Command = async (_args, context) => {
  const { counts, faults } = await withCatalog(context, ({ app }) => statisticsCheck(app.callAs(operator)));
  for (const { key, expected, stored } of faults)
    console.log(`${key}: ${stored ?? 'missing'}, should be ${expected ?? 'absent'}`);
  if (faults.length > 0)
    throw new CommandFailure(
      `${faults.length} counts differ from the rows. To count again, run: catalog statistics rebuild`,
    );
  console.log(`${counts} counts match the rows.`);
};
