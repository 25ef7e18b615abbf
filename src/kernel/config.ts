/** Reads the settings: defaults, then a file, then the environment. The only file that reads process.env. */
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { CONFIG_FILE, findHome } from './home.ts';
import { isObject } from './json.ts';
import { projectRoot } from './root.ts';
import { envName, SETTINGS, type SettingName, type Settings } from './settings.ts';
import { Expected, readValue, type Setting } from './settings.types.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
/** The origin of an effective value. */
export type Source = 'default' | 'file' | 'environment';

/** All invalid values and unknown names, one line each. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Invalid settings:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

interface Configured {
  readonly raw: unknown;
  readonly source: Source;
  readonly folder: string;
  readonly label: string;
}

const names = Object.keys(SETTINGS) as SettingName[];
const origins = new WeakMap<
  Settings,
  { readonly configured: ReadonlyMap<SettingName, Configured>; readonly home: string }
>();

/**
 * The effective settings. The file is `file`, or the one that CATALOG_CONFIG names, or an existing `catalog.yaml` in
 * the installation's home (`findHome`). The environment overrides it. @throws SettingsError naming each invalid value
 * and the expected form. @throws HomeError
 */
export function loadSettings(env: Environment = process.env, file?: string): Settings {
  const problems: string[] = [];
  const home = findHome(env.CATALOG_HOME);
  const configured = new Map([
    ...fromFile(file ?? (env.CATALOG_CONFIG || null), home, problems),
    ...fromEnvironment(env, problems),
  ]);
  return settle(configured, problems, home);
}

/**
 * Environment for a command line to use the same catalog as a process with these settings, from any folder: variables
 * with their values, and the names of secret ones.
 */
export function environmentOf(settings: Settings): { variables: [name: string, value: string][]; secret: string[] } {
  const { configured, home } = origins.get(settings) ?? {
    configured: new Map<SettingName, Configured>(),
    home: projectRoot,
  };
  const variables: [string, string][] = home === projectRoot ? [] : [['CATALOG_HOME', home]];
  const secret: string[] = [];
  for (const [name, { source, label, raw }] of configured) {
    if (source === 'file' && label !== join(home, CONFIG_FILE) && !variables.some(([it]) => it === 'CATALOG_CONFIG'))
      variables.push(['CATALOG_CONFIG', label]);
    if (source !== 'environment') continue;
    if (hide(SETTINGS[name], raw) !== raw) secret.push(label);
    else variables.push([label, String(SETTINGS[name].type === 'path' ? settings[name] : raw)]);
  }
  return { variables, secret };
}

/** Defaults with some values replaced; ignores file and environment. Logs nothing; the port is any free one, the data folder a temporary one. */
export const settingsForTests = (overrides: Partial<Settings> = {}): Settings =>
  Object.freeze({
    ...settle(new Map(), [], join(tmpdir(), `catalog-tests-${process.pid}`), overrides),
    'catalog.port': 0,
    'catalog.host': '127.0.0.1',
    'catalog.log_level': 'silent',
    'catalog.usage.enabled': false,
    ...overrides,
  });

/** Effective values in the table's order, for display: secrets and passwords in URLs are hidden. */
export function describeSettings(settings: Settings): { name: SettingName; value: unknown; source: Source }[] {
  return names.map((name) => ({
    name,
    value: hide(SETTINGS[name], settings[name]),
    source: origins.get(settings)?.configured.get(name)?.source ?? 'default',
  }));
}

/** Settings with a configured value that have no effect yet. */
export const idleSettings = (settings: Settings): SettingName[] =>
  names.filter((name) => {
    const { isIdle, default: fallback }: Setting<unknown> = SETTINGS[name];
    return isIdle === true && JSON.stringify(settings[name]) !== JSON.stringify(fallback);
  });

/** `fixed` are already parsed values; computed defaults see them. */
function settle(
  configured: ReadonlyMap<SettingName, Configured>,
  problems: string[],
  home: string,
  fixed: Readonly<Record<string, unknown>> = {},
): Settings {
  const values: Record<string, unknown> = {};
  const late: SettingName[] = [];
  for (const name of names) {
    const setting: Setting<unknown> = SETTINGS[name];
    const from = configured.get(name);
    if (Object.hasOwn(fixed, name)) values[name] = fixed[name];
    else if (from) values[name] = readConfigured(name, setting, from, problems, home);
    else if (setting.type === 'path') values[name] = resolve(home, setting.default as string);
    else if (typeof setting.default === 'function') late.push(name);
    else values[name] = setting.default;
  }
  for (const name of late) values[name] = (SETTINGS[name].default as (others: object) => unknown)(values);
  if (values['catalog.datastore.read_url'] && !values['catalog.datastore.write_url']) {
    problems.push('catalog.datastore.read_url: requires catalog.datastore.write_url');
  }
  if ((values['catalog.files.key_id'] === null) !== (values['catalog.files.secret'] === null))
    problems.push('catalog.files.key_id, catalog.files.secret: set both or neither');
  if (values['catalog.files.direct'] && values['catalog.files.bucket'] === null)
    problems.push('catalog.files.direct: requires catalog.files.bucket');
  if (problems.length > 0) throw new SettingsError(problems);
  const settings = Object.freeze(values) as Settings;
  origins.set(settings, { configured, home });
  return settings;
}

function readConfigured(
  name: SettingName,
  setting: Setting<unknown>,
  { raw, source, folder, label }: Configured,
  problems: string[],
  home: string,
): unknown {
  try {
    const value = readValue(setting, raw, folder);
    if (!setting.isPath || value === null) return value;
    const base = source === 'file' ? home : folder;
    return Array.isArray(value) ? value.map((path: string) => resolve(base, path)) : resolve(base, value as string);
  } catch (thrown) {
    if (!(thrown instanceof Expected)) throw thrown;
    problems.push(`${name} (${label}): must be ${thrown.message} (got ${show(setting, raw)})`);
    return undefined;
  }
}

/** Variables by name; misspelt ones that are clearly meant for the catalog are refused. */
function fromEnvironment(env: Environment, problems: string[]): Map<SettingName, Configured> {
  const configured = new Map<SettingName, Configured>();
  const known = new Set(names.map(envName));
  for (const name of names) {
    const setting: Setting<unknown> = SETTINGS[name];
    const label = [envName(name), setting.alias].find((variable) => variable && env[variable] !== undefined);
    if (label) configured.set(name, { raw: env[label], source: 'environment', folder: process.cwd(), label });
  }
  for (const variable of Object.keys(env)) {
    if (variable.startsWith('CATALOG__') && !known.has(variable))
      problems.push(`${variable} (environment): no such setting`);
  }
  return configured;
}

function fromFile(file: string | null, home: string, problems: string[]): Map<SettingName, Configured> {
  const configured = new Map<SettingName, Configured>();
  const at = resolve(file ?? join(home, CONFIG_FILE));
  if (file === null && !existsSync(at)) return configured;
  const content = readConfigFile(at, problems) ?? {};
  if (!isObject(content)) problems.push(`${at}: must be an object of setting names and values`);
  else
    flatten(content, '', (name, raw) => {
      if (!Object.hasOwn(SETTINGS, name)) problems.push(`${name} (${at}): no such setting`);
      else if (configured.has(name as SettingName)) problems.push(`${name} (${at}): set twice`);
      else configured.set(name as SettingName, { raw, source: 'file', folder: dirname(at), label: at });
    });
  return configured;
}

function readConfigFile(at: string, problems: string[]): unknown {
  try {
    return parse(readFileSync(at, 'utf8'));
  } catch (thrown) {
    problems.push(`${at}: cannot be read (${(thrown as Error).message})`);
    return null;
  }
}

/** Flattens nested or dotted keys down to names of settings; everything below a setting's own name is its value. */
function flatten(content: Record<string, unknown>, prefix: string, take: (name: string, raw: unknown) => void): void {
  for (const [key, value] of Object.entries(content)) {
    const name = prefix + key;
    if (!Object.hasOwn(SETTINGS, name) && isObject(value)) flatten(value, `${name}.`, take);
    else take(name, value);
  }
}

/** An invalid value. In an invalid URL, a password may contain any character, also spaces: it ends at the last `@`. */
const show = (setting: Setting<unknown>, raw: unknown): string => {
  const plain = JSON.stringify(hide(setting, raw)) ?? String(raw);
  const text = setting.protocols
    ? plain.replace(/\s(?!\S+:\/\/)/.test(plain) ? /\/\/.*@/ : /\/\/\S*@/g, '//***@')
    : plain;
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};

function hide(setting: Setting<unknown>, value: unknown): unknown {
  if (Array.isArray(value) && setting.protocols) return value.map((item) => hide(setting, item));
  if (typeof value !== 'string' || value === '') return value;
  if (setting.secret) return '(hidden)';
  if (setting.type !== 'url' && !setting.protocols) return value;
  return value.replace(/(\/\/[^/?#]*?:)[^/?#]*@/g, '$1***@').replace(/([?&][^=&]*password=)[^&]*/gi, '$1***');
}
