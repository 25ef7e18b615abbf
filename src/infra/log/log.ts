import { type Logger, pino } from 'pino';
import type { Settings } from '../../kernel/settings.ts';
import { createOutages } from './outages.ts';
import { prettyLine, printableJson } from './pretty.ts';
import { createRedactor } from './redact.ts';

export type { Logger } from 'pino';

/** A destination of lines. */
export interface Destination {
  write(line: string): unknown;
  readonly isTTY?: boolean;
}

/** Bytes of lines that wait while the disk of the log is full. Later lines are lost. */
const MAX_WAITING = 2 ** 20;

/** Written synchronously, so that a crash loses nothing. A full disk does not stop the process: waiting lines are written later. */
function standardError(): Destination {
  const to = pino.destination({ fd: 2, sync: true });
  const limit = (maxLength: number) => Object.assign(to, { maxLength }); // 0: no limit, so a long line passes while none waits
  to.on('error', () => limit(MAX_WAITING)); // the next line tries again
  to.on('drop', () => {
    limit(0);
    to.write(''); // tries again, which a line that is dropped does not
  });
  to.on('drain', () => limit(0));
  return Object.assign(to, { isTTY: process.stderr.isTTY === true });
}

/**
 * The program's log on standard error, separate from the output of commands: JSON lines, or lines for people on a
 * terminal (catalog.log_format).
 */
export function createLogger(settings: Settings, to: Destination = standardError()): Logger {
  const redact = createRedactor(settings);
  const format = settings['catalog.log_format'];
  const isPretty = format === 'pretty' || (format === 'auto' && to.isTTY === true);
  return pino(
    { level: settings['catalog.log_level'], base: null, hooks: { logMethod: createOutages() } },
    {
      write(line: string) {
        const safe = redact(line);
        to.write(isPretty ? prettyLine(safe, to.isTTY === true) : printableJson(safe));
      },
    },
  );
}
