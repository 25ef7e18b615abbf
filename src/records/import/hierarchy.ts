/** Resolves parents of organizations and groups. A parent may follow its child in the input, so missing links are made in a second pass. */
import { CatalogError, invalidField } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import { changeRecord, type Dictionary, type RecordRunner } from '../gateway.ts';
import type { GroupKind } from '../kinds.ts';
import { findById, findByName } from '../locate.ts';
import { writeGoodPart } from './partial.ts';

/** A child with missing parents. Small, because all of them are held until the end. */
export interface Parents {
  readonly kind: GroupKind;
  /** The child's local id. */
  readonly id: unknown;
  /** Resolved parents. */
  readonly groups: readonly Dictionary[];
  /** Missing parents. */
  readonly missing: readonly Dictionary[];
}

/** Maximum parents of one child, because each is looked up. */
const MAX_PARENTS = 100;

export interface Hierarchy {
  /** Resolved local parents, and missing ones. `groups` is null when the record does not name parents. */
  resolve(kind: GroupKind, groups: unknown): Promise<{ groups: Dictionary[] | null; missing: Dictionary[] }>;
  /** Tries again. Returns a line for each parent that is still missing, or that is not allowed above the child. */
  complete(parents: Parents): Promise<string[]>;
}

export function createHierarchy(runner: RecordRunner): Hierarchy {
  return { resolve, complete };

  async function resolve(kind: GroupKind, given: unknown) {
    if (!Array.isArray(given)) return { groups: null, missing: [] };
    const groups: Dictionary[] = [];
    const missing: Dictionary[] = [];
    if (given.length > MAX_PARENTS)
      throw invalidField('parents', `At most ${MAX_PARENTS} parents (got ${given.length})`);
    for (const { id, name, capacity } of given.filter(isObject)) {
      const parent = await findParent(kind, id, name);
      if (parent) groups.push({ id: parent.id, name: parent.name, ...(capacity != null && { capacity }) });
      else missing.push({ id: cut(id), name: cut(name), capacity: cut(capacity) });
    }
    return { groups, missing };
  }

  async function complete({ kind, id, groups, missing }: Parents): Promise<string[]> {
    const found = await resolve(kind, missing);
    const remarks = found.missing.map(
      (parent) => `${labelOf(parent)} does not exist in this catalog; no parent was set`,
    );
    if (!found.groups?.length) return remarks;
    try {
      const record = { id, groups: [...groups, ...found.groups] };
      const write = async (part: Dictionary) => {
        const hasMore = Array.isArray(part.groups) && part.groups.length > groups.length;
        if (hasMore) await changeRecord(runner, kind, part);
      };
      const written = await writeGoodPart(record, null, write);
      return [...remarks, ...written.remarks];
    } catch (thrown) {
      if (!(thrown instanceof CatalogError)) throw thrown;
      return [...remarks, ...found.groups.map((parent) => `${labelOf(parent)}: ${thrown.message || thrown.kind}`)];
    }
  }

  /** Finds a parent by id, then by name. An organization may be below a group. Ignores deleted ones. */
  async function findParent(kind: GroupKind, id: unknown, name: unknown): Promise<Dictionary | null> {
    const kinds: readonly GroupKind[] = kind === 'organization' ? ['organization', 'group'] : ['group'];
    for (const [find, key] of [
      [findById, id],
      [findByName, name],
    ] as const)
      for (const one of kinds) {
        const found = await find(runner, one, key).catch(hidden);
        if (found && found.state !== 'deleted') return found;
      }
    return null;
  }
}

/** A group invisible to the caller counts as missing. */
function hidden(thrown: unknown): null {
  if (thrown instanceof CatalogError && thrown.kind === 'NOT_AUTHORIZED') return null;
  throw thrown;
}

/** Maximum length of an id or name, which bounds the data held until the end. */
const MAX_NAME = 200;
const cut = (value: unknown): unknown => (typeof value === 'string' ? value.slice(0, MAX_NAME) : undefined);

const labelOf = ({ name, id }: Dictionary): string => `parent ${name ?? id ?? '(no name)'}`;
