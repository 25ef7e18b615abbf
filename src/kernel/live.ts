/** Settings that can change while the process runs. Later reads see the change; no notification is needed. */
import type { Settings } from './settings.ts';
import { SETTINGS, type SettingName } from './settings.ts';
import type { Setting } from './settings.types.ts';

/** Names of the settings that can be changed at run time, in the table's order. */
export const LIVE: readonly SettingName[] = (Object.keys(SETTINGS) as SettingName[]).filter(
  (name) => (SETTINGS[name] as Setting<unknown>).live,
);

type Values = ReadonlyMap<string, unknown>;

const changed = new WeakMap<Settings, { values: Values }>();

/** The same settings; `changeSettings` can replace the live ones. */
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

/** Sets the live settings to these values; omitted ones get the values of file and environment. */
export function changeSettings(settings: Settings, values: Values): void {
  const own = changed.get(settings);
  if (own) own.values = values;
}
