/** Actions of the Action API, run in this process: records are read and written exactly as clients' are. */
import type { Call } from '../kernel/call.ts';
import { CatalogError } from '../kernel/errors.ts';
import { toJsonText } from '../kernel/json.ts';

/** A dictionary as the Action API gives and takes it. */
export type Dictionary = Readonly<Record<string, unknown>>;

/** The Action API as records need it. A facade makes it and the app hands it on: what brings records in and out knows no facade. */
export interface RecordActions {
  /** `result` of an action. @throws CatalogError as the action does */
  perform(call: Call, name: string, raw: Dictionary): Promise<unknown>;
  /** Variables of an action's operation for these parameters. @throws CatalogError VALIDATION */
  variablesOf(name: string, raw: Dictionary): Record<string, unknown>;
  /** What records call a field of the graph. */
  nameOf(field: string): string;
}

/** Through which records go in and out: whose calls, one for each action. */
export interface Door {
  readonly actions: RecordActions;
  call(): Call;
}

/** `result` of an action. @throws CatalogError as the action does */
export const perform = (door: Door, name: string, raw: Dictionary): Promise<unknown> =>
  door.actions.perform(door.call(), name, raw);

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
