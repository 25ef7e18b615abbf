/** `catalog documents check|rebuild`: stored dataset documents and their rows. */
import { documentsCheck, documentsRebuild } from '../catalog/dataset/read/documents.service.ts';
import { operator, withCatalog } from './catalog.ts';
import { type Command, CommandFailure } from './command.ts';

/** `catalog documents check`: prints a line per document that differs from its rows: id, name, differences. */
export const check: Command = async (_args, context) => {
  let checked = 0;
  let wrong = 0;
  await withCatalog(context, async ({ app }) => {
    for await (const batch of documentsCheck(app.callAs(operator))) {
      checked += batch.checked;
      wrong += batch.faults.length;
      for (const { id, name, keys } of batch.faults) console.log(`${id} ${name}: ${keys.join(', ')}`);
    }
  });
  if (wrong > 0)
    throw new CommandFailure(
      `${wrong} of ${checked} documents differ from their rows. To rebuild them, run: catalog documents rebuild`,
    );
  console.log(`${checked} documents match their rows.`);
};

/** `catalog documents rebuild`: rewrites all documents and prints their number. */
export const rebuild: Command = async (_args, context) => {
  let written = 0;
  await withCatalog(context, async ({ app }) => {
    for await (const count of documentsRebuild(app.callAs(operator))) written += count;
  });
  console.log(`${written} documents rebuilt from their rows.`);
};
