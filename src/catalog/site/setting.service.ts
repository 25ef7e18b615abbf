/** Lists all settings for the site's operators, without secrets. */
import type { Call } from '../../kernel/call.ts';
import { describeSettings } from '../../kernel/config.ts';
import { allow } from '../../kernel/errors.ts';
import { envName, SETTINGS } from '../../kernel/settings.ts';
import { mayUseOptions } from './option.policy.ts';
import { isOption } from './option.rules.ts';

export interface SettingRecord {
  readonly name: string;
  readonly value: unknown;
  readonly description: string;
  readonly variable: string;
  readonly isOption: boolean;
}

/** Every setting with its current value. @throws CatalogError NOT_AUTHORIZED */
export async function settingList({ actor, settings }: Call): Promise<SettingRecord[]> {
  allow(mayUseOptions(actor));
  return describeSettings(settings).map(({ name, value }) => ({
    name,
    value,
    description: SETTINGS[name].description,
    variable: envName(name),
    isOption: isOption(name),
  }));
}
