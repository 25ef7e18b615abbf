/** Runs actions of the Action API in this process, so that records are read and written exactly as by clients. */
import type { Call } from '../kernel/call.ts';
import { CatalogError } from '../kernel/errors.ts';
import { toJsonText } from '../kernel/json.ts';

/** A dictionary of the Action API. */
export type Dictionary = Readonly<Record<string, unknown>>;

/** The part of the Action API that imports need. A facade implements it and the app injects it, so this folder imports no facade. */
export interface RecordActions {
  /** `result` of an action. @throws CatalogError as the action does */
  perform(call: Call, name: string, raw: Dictionary): Promise<unknown>;
  /** Variables of an action's operation for these parameters. @throws CatalogError VALIDATION */
  variablesOf(name: string, raw: Dictionary): Record<string, unknown>;
  /** The record's name of a graph field. */
  nameOf(field: string): string;
}

/** Executes actions as a given caller, with a new call for each action. */
export interface ActionRunner {
  readonly actions: RecordActions;
  call(): Call;
}

/** `result` of an action. @throws CatalogError as the action does */
export const perform = (runner: ActionRunner, name: string, raw: Dictionary): Promise<unknown> =>
  runner.actions.perform(runner.call(), name, raw);

/** Result of a show action for an id or name, with more parameters; null when missing. */
export async function find(
  runner: ActionRunner,
  show: string,
  id: unknown,
  more: Dictionary = {},
): Promise<Dictionary | null> {
  if (typeof id !== 'string' || id === '') return null;
  try {
    return plain(await perform(runner, show, { id, ...more }));
  } catch (thrown) {
    if (thrown instanceof CatalogError && thrown.kind === 'NOT_FOUND') return null;
    throw thrown;
  }
}

/** The result of an action as plain JSON. */
export const plain = (result: unknown): Dictionary => JSON.parse(toJsonText(result)) as Dictionary;
