/** Site options: settings that can change at run time, and their values. Pure. */
import type { Problem } from '../../kernel/errors.ts';
import { LIVE } from '../../kernel/live.ts';
import type { Settings } from '../../kernel/settings.ts';
import { SETTINGS, type SettingName } from '../../kernel/settings.ts';
import { Expected, readValue, type Setting } from '../../kernel/settings.types.ts';

/** Listed among the options, as clients expect. A change needs a restart, because sessions and stored addresses depend on it. */
const FIXED = 'catalog.site_url';

/** Names of all options. */
export const OPTIONS: readonly SettingName[] = [FIXED, ...LIVE];

export const isOption = (name: string): name is SettingName => (OPTIONS as readonly string[]).includes(name);

/** Whether an option is stored and shown without any effect yet. */
export const isIdle = (name: string): boolean => isOption(name) && (SETTINGS[name] as Setting<unknown>).isIdle === true;

/** The parsed value of an option, or the expected form. */
export function readOption(name: SettingName, text: string): { value: unknown } | { expected: string } {
  try {
    return { value: readValue(SETTINGS[name] as Setting<unknown>, text, '/') };
  } catch (thrown) {
    if (thrown instanceof Expected) return { expected: thrown.message };
    throw thrown;
  }
}

export interface OptionChange {
  readonly name: string;
  /** Null restores the value of file and environment. */
  readonly value?: string | null;
}

/** All problems of the changes; unknown names in the recorded text. */
export function checkOptions(changes: readonly OptionChange[], settings: Settings): Problem[] {
  const unknown = changes.filter(({ name }) => !isOption(name)).map(({ name }) => name);
  if (unknown.length > 0)
    return [{ path: [], message: `Configuration option(s) '${unknown.slice(0, 10).join(' ')}' can not be updated` }];
  return changes.flatMap(({ name, value }) => {
    if (name === FIXED)
      return value == null || value === settings[FIXED]
        ? []
        : [
            {
              path: [name],
              message: 'Can only be set in the configuration file or the environment, followed by a restart',
            },
          ];
    if (value == null) return [];
    const read = readOption(name as SettingName, value);
    return 'expected' in read ? [{ path: [name], message: `Must be ${read.expected}` }] : [];
  });
}
