import { statisticsRebuild } from '../statistics/check.service.ts';
import { operator, withCatalog } from './catalog.ts';
import type { Command } from './command.ts';

/** `catalog statistics rebuild`: counts all datasets, users and changes again, and prints the number of objects. */
export const command: Command = async (_args, context) => {
  const objects = await withCatalog(context, ({ app }) => statisticsRebuild(app.callAs(operator)));
  console.log(`${objects} datasets and users counted, and the change log.`);
};
