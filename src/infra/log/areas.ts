/** Areas of the log, each with a level of its own. */
import type { Level, Logger } from 'pino';
import type { AREAS } from '../../kernel/settings.monitoring.ts';

export type Area = (typeof AREAS)[number];

/** Returns the log of an area. `levels`: items such as `jobs=debug` (catalog.log_areas). */
export function createAreas(log: Logger, levels: readonly string[]): (area: Area) => Logger {
  const byArea = new Map(levels.map((item) => item.split('=') as [Area, Level]));
  return (area) => {
    const level = byArea.get(area);
    return log.child({ area }, level === undefined ? {} : { level });
  };
}
