import { searchCheck } from '../search/index/index.service.ts';
import { operator, withCatalog } from './catalog.ts';
import { type Command, CommandFailure } from './command.ts';

/** `catalog search check`: a line per dataset that is indexed otherwise than its document says: id, what differs. */
export const command: Command = async (_args, context) => {
  let checked = 0;
  let wrong = 0;
  await withCatalog(context, async ({ app }) => {
    for await (const batch of searchCheck(app.callAs(operator))) {
      checked += batch.checked;
      wrong += batch.faults.length;
      for (const { id, faults } of batch.faults) console.log(`${id}: ${faults.join(', ')}`);
    }
  });
  if (wrong > 0)
    throw new CommandFailure(
      `${wrong} of ${checked} datasets are indexed otherwise than their documents say. To index them again: catalog search rebuild`,
    );
  console.log(`${checked} datasets are indexed as their documents say.`);
};
