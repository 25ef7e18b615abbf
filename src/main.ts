/** Entry point of `npm start`: serves the catalog. The steps are in cli/serve.ts. */
import { runCommandLine } from './cli/run.ts';

process.exit(await runCommandLine(['serve', ...process.argv.slice(2)]));
