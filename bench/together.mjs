/** Several catalogs in one process, one for each file of settings in the arguments. Two processes of one state differ by up to 30 % in CPU. */
import { runCommandLine } from '../dist/src/cli/run.js';
import { loadSettings } from '../dist/src/kernel/config.js';

/** Runs until a signal. A catalog that does not start ends the others. */
async function serve(config) {
  const code = await runCommandLine(['serve'], () => loadSettings({ ...process.env, CATALOG_CONFIG: config }));
  if (code !== 0) process.exit(code);
}

await Promise.all(process.argv.slice(2).map(serve));
process.exit();
