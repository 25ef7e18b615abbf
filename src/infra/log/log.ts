import { type Logger, pino } from 'pino';
import type { Settings } from '../../kernel/config.ts';
import { createOutages } from './outages.ts';

export type { Logger } from 'pino';

/**
 * The program's log: JSON lines on standard error, separate from the output of commands. Written synchronously, so that
 * a crash loses nothing.
 */
export const createLogger = (settings: Settings): Logger =>
  pino(
    {
      level: settings['catalog.log_level'],
      base: null,
      redact: ['req.headers.authorization', 'req.headers.cookie'],
      hooks: { logMethod: createOutages() },
    },
    pino.destination({ fd: 2, sync: true }),
  );
