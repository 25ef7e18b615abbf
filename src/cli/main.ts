/** What `catalog …` runs. Ends at once: everything is closed by then, and what libraries leave behind need not be waited for. */
import { runCommandLine } from './run.ts';

process.exit(await runCommandLine(process.argv.slice(2)));
