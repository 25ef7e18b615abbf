/** Imports records. Leaves identical objects unchanged, so an import can be repeated. */
import { declaredFields } from '../../catalog/dataset/types.ts';
import { CatalogError, invalid } from '../../kernel/errors.ts';
import { withoutUndefined } from '../../kernel/json.ts';
import { wireName } from '../form/names.ts';
import { changedFields, changeRecord, createRecord, type Dictionary, type RecordRunner } from '../gateway.ts';
import type { Kind } from '../kinds.ts';
import { locate } from '../locate.ts';
import { withTableAddresses, writable } from '../record.ts';
import { createHierarchy, type Parents } from './hierarchy.ts';
import { writeGoodPart } from './partial.ts';
import { kindOf, whyRefused } from './recognize.ts';
import { createReferences } from './references.ts';
import { isStored } from './sameness.ts';
import { noteTables } from './tables.ts';

export type Outcome = 'created' | 'updated' | 'unchanged';

/** Outcome for a record, and its local id. The id differs from the record's when it was found by name or had none. */
export interface Imported {
  readonly outcome: Outcome;
  readonly id: unknown;
  /** Differences from the record, one line each. */
  readonly remarks: readonly string[];
  /** Set when a parent of an organization or group is missing: `complete` tries again when all records are imported. */
  readonly parents: Parents | null;
}

export interface Importer {
  /**
   * Creates or updates the object a record describes, found by id, then by name.
   * @throws CatalogError for a refused record: CONFLICT when its name belongs to an object with another id
   */
  put(record: Dictionary): Promise<Imported>;
  /** Links an object to parents imported after it. Returns a line for each parent that is missing, or not allowed above it. */
  complete(imported: Imported): Promise<readonly string[]>;
}

export interface ImportOptions {
  /** Whether a record updates the object with its name even when the ids differ. */
  readonly replace?: boolean;
}

/** @throws CatalogError VALIDATION with the reason, for a record that is not a dataset, organization or group */
export function requireKind(record: Dictionary): Kind {
  const kind = kindOf(record);
  if (kind === null) throw invalid([{ path: [], message: whyRefused(record) }]);
  return kind;
}

export function createImporter(runner: RecordRunner, { replace = false }: ImportOptions = {}): Importer {
  const references = createReferences(runner);
  const hierarchy = createHierarchy(runner);
  return { put, complete: async ({ parents }) => (parents ? hierarchy.complete(parents) : []) };

  async function put(given: Dictionary): Promise<Imported> {
    const kind = requireKind(given);
    const stored = await locate(runner, kind, given, replace); // before creating what the record embeds
    if (kind === 'dataset') {
      const record = withTableAddresses(await references.ofDataset(given), stored);
      const written = await write(kind, record, stored);
      const tables = await noteTables(runner.call(), given, stored);
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
    const isStrict = runner.call().settings['catalog.import.bad_resources'] === 'refuse';
    if (kind === 'dataset' && isStrict) return { ...(await once(record)), remarks: [] };
    const { result, remarks } = await writeGoodPart(record, stored, once);
    return { ...result, remarks };
  }

  async function writeWhole(
    kind: Kind,
    record: Dictionary,
    stored: Dictionary | null,
  ): Promise<{ outcome: Outcome; id: unknown }> {
    if (!stored) return { outcome: 'created', id: await createRecord(runner, kind, writable(kind, record)) };
    const { id } = stored;
    const target = { ...writable(kind, record), id };
    if (isSame(runner, kind, target, stored)) return { outcome: 'unchanged', id };
    await changeRecord(runner, kind, target);
    return { outcome: 'updated', id };
  }
}

/** Whether a change would leave the stored object unchanged. */
export const isSame = (runner: RecordRunner, kind: Kind, target: Dictionary, stored: Dictionary): boolean =>
  isStored(inputOf(runner, kind, target), inputOf(runner, kind, stored));

/** The input of a change, without custom keys that the type does not declare, as those are not stored (ruling 8). */
function inputOf(runner: RecordRunner, kind: Kind, record: Dictionary): Dictionary {
  const input = withoutUndefined(changedFields(kind, record)) as Dictionary;
  if (kind !== 'dataset') return input;
  const { settings } = runner.call();
  return { ...input, fields: declaredFields(settings, { ...record, type: String(record.type ?? 'dataset') }) };
}

/** One line with every problem of a record, by the record's field names. */
export function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof CatalogError)) return thrown instanceof Error ? thrown.message : String(thrown);
  if (thrown.problems.length === 0) return thrown.message;
  const faults = thrown.problems.map(({ path, message }) => {
    const field = path.map((step) => (typeof step === 'number' ? step : wireName(step))).join('.');
    return field ? `${field}: ${message}` : message;
  });
  return faults.join('; ');
}
