/** Finds the home of this installation: its `catalog.yaml`, and its data unless a setting says otherwise. */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isCheckout, projectRoot } from './root.ts';

export const CONFIG_FILE = 'catalog.yaml';

/** No home can be chosen; the message names the setting to use. */
export class HomeError extends Error {
  override readonly name = 'HomeError';
}

/** Whether a folder holds a catalog's data at the default location. */
const hasData = (folder: string): boolean =>
  existsSync(join(folder, 'data/secret')) || existsSync(join(folder, 'data/postgres/place.json'));
const hasConfig = (folder: string): boolean => existsSync(join(folder, CONFIG_FILE));

/**
 * The folder in `configured` (CATALOG_HOME). Without it the working directory, if it has a `catalog.yaml` or a catalog's
 * data; else the folder of the checkout. So a command started anywhere uses the catalog that `npm start` serves. An
 * installed package has no folder for data: updates replace it. There the working directory is the home. @throws
 * HomeError if `configured` is not a folder, and if both the working directory and the project's folder have a catalog.
 */
export function findHome(
  configured: string | undefined,
  working = process.cwd(),
  project = isCheckout ? projectRoot : working,
): string {
  if (configured) {
    const folder = resolve(working, configured);
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
      throw new HomeError(`CATALOG_HOME: ${folder} is not a folder. Set it to the folder with the catalog's data.`);
    return folder;
  }
  if (working === project || hasConfig(working)) return working;
  if (!hasData(working)) return project;
  if (hasData(project) || hasConfig(project))
    throw new HomeError(
      `There are two catalogs, in ${working} and in ${project}. Set CATALOG_HOME to the folder of one of them.`,
    );
  return working;
}
