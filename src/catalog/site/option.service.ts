/** Site options: settings in the database that take effect at once, in every process. */
import { recordRevision } from '../../changes/changes.service.ts';
import { afterCommit, type Call, inTransaction, logOf } from '../../kernel/call.ts';
import { allow, invalid, refuse } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { changeSettings } from '../../kernel/live.ts';
import { SETTINGS, type SettingName } from '../../kernel/settings.ts';
import { compareText } from '../../kernel/text.ts';
import { mayUseOptions } from './option.policy.ts';
import { checkOptions, isIdle, isOption, OPTIONS, type OptionChange, readOption } from './option.rules.ts';
import { deleteOptions, listOptions, putOption } from './option.store.ts';

/** An option with its current value. */
export interface OptionRecord {
  readonly name: SettingName;
  readonly value: unknown;
  readonly description: string;
}

const optionOf = ({ settings }: Call, name: SettingName): OptionRecord => ({
  name,
  value: settings[name],
  description: SETTINGS[name].description,
});

/** Every option. @throws CatalogError NOT_AUTHORIZED */
export async function optionList(call: Call): Promise<OptionRecord[]> {
  allow(mayUseOptions(call.actor));
  return OPTIONS.map((name) => optionOf(call, name));
}

/** One option. @throws CatalogError NOT_AUTHORIZED, VALIDATION (no such option) */
export async function optionShow(call: Call, { name }: { name: string }): Promise<OptionRecord> {
  allow(mayUseOptions(call.actor));
  if (!isOption(name)) throw invalid([{ path: [], message: `Configuration option '${name}' can not be shown` }]);
  return optionOf(call, name);
}

/** Changes options and returns the current values of the requested ones. @throws CatalogError NOT_AUTHORIZED, VALIDATION */
export async function optionsUpdate(
  call: Call,
  { options }: { options: readonly OptionChange[] },
): Promise<OptionRecord[]> {
  allow(mayUseOptions(call.actor));
  refuse(checkOptions(options, call.settings));
  const requested = new Map(
    options.filter(({ name }) => name !== 'catalog.site_url').map((o) => [o.name, o.value ?? null]),
  );
  const put = [...requested]
    .flatMap(([name, value]) => (value === null ? [] : [{ name, value }]))
    .sort((a, b) => compareText(a.name, b.name));
  const drop = [...requested].filter(([, value]) => value === null).map(([name]) => name);
  if (requested.size > 0)
    await inTransaction(call, async (call) => {
      for (const { name, value } of put) await putOption(call.db, name, value, call.request.now);
      if (drop.length > 0) await deleteOptions(call.db, drop);
      await recordRevision(
        call,
        newId(),
        `Change settings: ${[...requested.keys()].join(', ')}`,
        [...requested.keys()].map((name) => ({ objectType: 'setting', objectId: name, action: 'updated', detail: {} })),
      );
      afterCommit(call, refreshOptions);
    });
  for (const { name } of put) if (isIdle(name)) logOf(call).warn({ option: name }, 'this option has no effect yet');
  return [...new Set(options.map(({ name }) => name as SettingName))].map((name) => optionOf(call, name));
}

/** Running reads by their settings: an older read must not finish after a newer one. */
const running = new WeakMap<Call['settings'], Promise<void>>();

/** Updates this process's settings from the database. Ignores unknown options and invalid values. */
export function refreshOptions(call: Call): Promise<void> {
  const before = running.get(call.settings) ?? Promise.resolve();
  const next = before.then(() => refresh(call));
  running.set(
    call.settings,
    next.catch(() => {}),
  );
  return next;
}

async function refresh(call: Call): Promise<void> {
  const values = new Map<string, unknown>();
  for (const { name, value } of await listOptions(call.db)) {
    if (!isOption(name)) continue;
    const read = readOption(name, value);
    if ('value' in read) values.set(name, read.value);
    else logOf(call).warn({ option: name, expected: read.expected }, 'invalid stored option ignored');
  }
  changeSettings(call.settings, values);
}
