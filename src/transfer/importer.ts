/** Brings records into the catalog: what is there already and the same is left as it is, so an import can be run again. */
import { declaredFields } from '../catalog/dataset/types.ts';
import { CatalogError } from '../kernel/errors.ts';
import { ACTIONS } from './kinds.ts';
import { type Dictionary, type Door, find, perform, plain, type RecordActions } from './perform.ts';
import { kindOf, writable } from './records.ts';
import { createReferences } from './references.ts';
import { isStored } from './sameness.ts';

export type Outcome = 'created' | 'updated' | 'unchanged';

/** What became of a record, and the id it has here: another than the record's where it was found by its name, a new one where it had none. */
export interface Imported {
  readonly outcome: Outcome;
  readonly id: unknown;
}

/**
 * Creates or changes what a record describes: what has its id here, else what has its name.
 * @throws CatalogError for a record that cannot go in
 */
export function createImporter(door: Door): (record: Dictionary) => Promise<Imported> {
  const references = createReferences(door);
  return async (given) => {
    const kind = kindOf(given);
    const { show, hide, create, change } = ACTIONS[kind];
    const record = await (kind === 'dataset' ? references.ofDataset(given) : references.ofGroup(given));
    const stored = (await find(door, show, record.id, hide)) ?? (await find(door, show, record.name, hide));
    if (!stored) {
      const { id } = plain(await perform(door, create, writable(kind, record)));
      return { outcome: 'created', id };
    }
    const { id } = stored;
    const target = { ...writable(kind, record), id };
    if (isSame(door, change, target, stored)) return { outcome: 'unchanged', id };
    await perform(door, change, target);
    return { outcome: 'updated', id };
  };
}

/** Whether an action would leave what is stored as it is. */
export const isSame = (door: Door, change: string, target: Dictionary, stored: Dictionary): boolean =>
  isStored(inputOf(door, change, target), inputOf(door, change, stored));

/** What the action makes of a record, in plain JSON; of free keys those that the type declares, as others are not stored (ruling 8). */
function inputOf(door: Door, change: string, record: Dictionary): Dictionary {
  const { input } = JSON.parse(JSON.stringify(door.actions.variablesOf(change, record))) as { input: Dictionary };
  if (!('fields' in input)) return input;
  const { settings } = door.call();
  return { ...input, fields: declaredFields(settings, { ...record, type: String(record.type ?? 'dataset') }) };
}

/** One line about what is wrong with a record: every field, by its name in records, and its fault. */
export function reasonOf(thrown: unknown, { nameOf }: RecordActions): string {
  if (!(thrown instanceof CatalogError)) return thrown instanceof Error ? thrown.message : String(thrown);
  if (thrown.problems.length === 0) return thrown.message;
  const faults = thrown.problems.map(({ path, message }) => {
    const field = path.map((step) => (typeof step === 'number' ? step : nameOf(step))).join('.');
    return field ? `${field}: ${message}` : message;
  });
  return faults.join('; ');
}
