/** Brings records into the catalog: what is there already and the same is left as it is, so an import can be run again. */
import { declaredFields } from '../catalog/dataset/types.ts';
import { CatalogError, invalid } from '../kernel/errors.ts';
import { createHierarchy, type Parents } from './hierarchy.ts';
import { ACTIONS, type Kind } from './kinds.ts';
import { locate } from './locate.ts';
import { writeGoodPart } from './partial.ts';
import { type Dictionary, type Door, perform, plain, type RecordActions } from './perform.ts';
import { kindOf, whyRefused } from './recognize.ts';
import { withTableAddresses, writable } from './records.ts';
import { createReferences } from './references.ts';
import { isStored } from './sameness.ts';
import { noteTables } from './tables.ts';

export type Outcome = 'created' | 'updated' | 'unchanged';

/** What became of a record, and the id it has here: another than the record's where it was found by its name, a new one where it had none. */
export interface Imported {
  readonly outcome: Outcome;
  readonly id: unknown;
  /** What is here otherwise than in the record, a line each. */
  readonly remarks: readonly string[];
  /** Set where a parent of an organization or group is not here yet: `complete` tries again when all records are in. */
  readonly parents: Parents | null;
}

export interface Importer {
  /**
   * Creates or changes what a record describes: what has its id here, else what has its name.
   * @throws CatalogError for a record that cannot go in: CONFLICT where its name belongs to an object of another id
   */
  put(record: Dictionary): Promise<Imported>;
  /** Puts an object below parents that came after it. Answers a line for each that could not be found, or may not stand above it. */
  complete(imported: Imported): Promise<readonly string[]>;
}

export interface ImportOptions {
  /** Whether a record changes the object that has its name, also where that has another id. */
  readonly replace?: boolean;
}

/** @throws CatalogError VALIDATION for a record that is no dataset, organization or group, with the reason */
export function requireKind(record: Dictionary): Kind {
  const kind = kindOf(record);
  if (kind === null) throw invalid([{ path: [], message: whyRefused(record) }]);
  return kind;
}

export function createImporter(door: Door, { replace = false }: ImportOptions = {}): Importer {
  const references = createReferences(door);
  const hierarchy = createHierarchy(door);
  return { put, complete: async ({ parents }) => (parents ? hierarchy.complete(parents) : []) };

  async function put(given: Dictionary): Promise<Imported> {
    const kind = requireKind(given);
    const stored = await locate(door, kind, given, replace); // before what the record embeds is made
    if (kind === 'dataset') {
      const record = withTableAddresses(await references.ofDataset(given), stored);
      const written = await write(kind, record, stored);
      const tables = await noteTables(door.call(), given, stored);
      return { ...written, remarks: [...written.remarks, ...tables], parents: null };
    }
    const { groups, missing } = await hierarchy.resolve(kind, given.groups);
    const record = { ...(await references.ofGroup(given)), ...(groups && { groups }) };
    const written = await write(kind, record, stored);
    const parents = missing.length > 0 ? { kind, id: written.id, groups: groups ?? [], missing } : null;
    return { ...written, parents };
  }

  async function write(kind: Kind, record: Dictionary, stored: Dictionary | null) {
    const once = (part: Dictionary) => writeWhole(kind, part, stored);
    const isStrict = door.call().settings['catalog.import.bad_resources'] === 'refuse';
    if (kind === 'dataset' && isStrict) return { ...(await once(record)), remarks: [] };
    const { result, remarks } = await writeGoodPart(record, stored, once, door.actions.nameOf);
    return { ...result, remarks };
  }

  async function writeWhole(
    kind: Kind,
    record: Dictionary,
    stored: Dictionary | null,
  ): Promise<{ outcome: Outcome; id: unknown }> {
    const { create, change } = ACTIONS[kind];
    if (!stored) {
      const { id } = plain(await perform(door, create, writable(kind, record)));
      return { outcome: 'created', id };
    }
    const { id } = stored;
    const target = { ...writable(kind, record), id };
    if (isSame(door, change, target, stored)) return { outcome: 'unchanged', id };
    await perform(door, change, target);
    return { outcome: 'updated', id };
  }
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
