import { type Logger, pino } from 'pino';
import type { Settings } from '../../kernel/config.ts';
import { createOutages } from './outages.ts';
import { prettyLine } from './pretty.ts';
import { createRedactor } from './redact.ts';

export type { Logger } from 'pino';

/** A destination of lines. */
export interface Destination {
  write(line: string): unknown;
  readonly isTTY?: boolean;
}

/** Written synchronously, so that a crash loses nothing. */
const standardError = (): Destination =>
  Object.assign(pino.destination({ fd: 2, sync: true }), { isTTY: process.stderr.isTTY === true });

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
        to.write(isPretty ? prettyLine(safe, to.isTTY === true) : safe);
      },
    },
  );
}
