/** Actions of the Action API, run in this process: records are read and written exactly as clients' are. */
import { actions } from '../../facades/action/actions/index.ts';
import type { Action } from '../../facades/action/define.ts';
import { readParams } from '../../facades/action/params.ts';
import type { RunOperation } from '../graph/run.ts';
import type { Call } from '../kernel/call.ts';
import { CatalogError } from '../kernel/errors.ts';
import { toJsonText } from '../kernel/json.ts';

/** A dictionary as the Action API gives and takes it. */
export type Dictionary = Readonly<Record<string, unknown>>;

/** Through which records go in and out: whose calls, one for each action. */
export interface Door {
  readonly run: RunOperation;
  call(): Call;
}

const rowOf = (name: string): Action => actions[name] as Action;

/** Variables of an action's operation for these parameters. @throws CatalogError VALIDATION */
export const variablesOf = (name: string, raw: Dictionary): Record<string, unknown> =>
  rowOf(name).variables(readParams(rowOf(name).params, raw) as never, raw, null);

/** `result` of an action. @throws CatalogError as the action does */
export async function perform(door: Door, name: string, raw: Dictionary): Promise<unknown> {
  const row = rowOf(name);
  const params = readParams(row.params, raw);
  const data: unknown = await door.run(row.document, row.variables(params as never, raw, null), door.call());
  return row.result(data, params as never, raw);
}

/** What a show action answers for an id or name, with further parameters; null when there is nothing of that id. */
export async function find(door: Door, show: string, id: unknown, more: Dictionary = {}): Promise<Dictionary | null> {
  if (typeof id !== 'string' || id === '') return null;
  try {
    return plain(await perform(door, show, { id, ...more }));
  } catch (thrown) {
    if (thrown instanceof CatalogError && thrown.kind === 'NOT_FOUND') return null;
    throw thrown;
  }
}

/** The result of an action as its JSON says. */
export const plain = (result: unknown): Dictionary => JSON.parse(toJsonText(result)) as Dictionary;
