/** Entry point of `catalog …`. Exits at once: everything is closed, and timers left by libraries can be ignored. */
import { runCommandLine } from './run.ts';

process.exit(await runCommandLine(process.argv.slice(2)));
