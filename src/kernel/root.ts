import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder, found from sources and build alike: the nearest parent with a schema folder and package.json. */
export const projectRoot: string = (() => {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('package.json not found in a parent folder of the program files');
    folder = parent;
  }
  return folder;
})();

/** Whether the project is a checkout. An installed package has no sources. */
export const isCheckout: boolean = existsSync(join(projectRoot, 'src'));
