/** Settings of which some can be changed while the process runs. Those read later see the change; nobody else needs to be told. */
import type { Settings } from './config.ts';
import { SETTINGS, type SettingName } from './settings.ts';
import type { Setting } from './settings.types.ts';

/** Names of the settings that can be changed at run time, in the table's order. */
export const LIVE: readonly SettingName[] = (Object.keys(SETTINGS) as SettingName[]).filter(
  (name) => (SETTINGS[name] as Setting<unknown>).live,
);

type Values = ReadonlyMap<string, unknown>;

const changed = new WeakMap<Settings, { values: Values }>();

/** The same settings, of which `changeSettings` can replace the live ones. */
export function liveSettings(base: Settings): Settings {
  const own = { values: new Map() as Values };
  const settings = { ...base };
  for (const name of LIVE)
    Object.defineProperty(settings, name, {
      enumerable: true,
      get: () => (own.values.has(name) ? own.values.get(name) : base[name]),
    });
  changed.set(settings, own);
  return Object.freeze(settings);
}

/** From now on the live settings have these values; those left out have the ones that file and environment say. */
export function changeSettings(settings: Settings, values: Values): void {
  const own = changed.get(settings);
  if (own) own.values = values;
}
