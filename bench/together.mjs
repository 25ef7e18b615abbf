/** Several catalogs in one process, one for each file of settings in the arguments. Two processes of one state differ by up to 30 % in CPU. */
import { runCommandLine } from '../dist/src/cli/run.js';
import { loadSettings } from '../dist/src/kernel/config.js';

const codes = process.argv
  .slice(2)
  .map((config) => runCommandLine(['serve'], () => loadSettings({ ...process.env, CATALOG_CONFIG: config })));
process.exit(Math.max(...(await Promise.all(codes))));
