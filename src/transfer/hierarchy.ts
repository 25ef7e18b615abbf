/** What organizations and groups stand below. A parent may come later than its child, so links that are missing are made in a second pass. */
import { CatalogError, invalidField } from '../kernel/errors.ts';
import { ACTIONS, type GroupKind } from './kinds.ts';
import { findById, findByName } from './locate.ts';
import { writeGoodPart } from './partial.ts';
import { type Dictionary, type Door, perform } from './perform.ts';
import { isDictionary } from './records.ts';

/** A child whose parents were not all here when it was written. Small: one is kept for each such child until the end. */
export interface Parents {
  readonly kind: GroupKind;
  /** The child's id here. */
  readonly id: unknown;
  /** Parents that it has. */
  readonly groups: readonly Dictionary[];
  /** Parents that were not found. */
  readonly missing: readonly Dictionary[];
}

/** Parents of one child: each is looked up. */
const MAX_PARENTS = 100;

export interface Hierarchy {
  /** Parents as they are named here, and those that are not here. `groups` is null where the record does not say what it stands below. */
  resolve(kind: GroupKind, groups: unknown): Promise<{ groups: Dictionary[] | null; missing: Dictionary[] }>;
  /** Tries once more. Answers a line for each parent that is still not here, or may not stand above the child. */
  complete(parents: Parents): Promise<string[]>;
}

export function createHierarchy(door: Door): Hierarchy {
  return { resolve, complete };

  async function resolve(kind: GroupKind, given: unknown) {
    if (!Array.isArray(given)) return { groups: null, missing: [] };
    const groups: Dictionary[] = [];
    const missing: Dictionary[] = [];
    if (given.length > MAX_PARENTS)
      throw invalidField('parents', `At most ${MAX_PARENTS} parents (got ${given.length})`);
    for (const { id, name, capacity } of given.filter(isDictionary)) {
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
        if (hasMore) await perform(door, ACTIONS[kind].change, part);
      };
      const written = await writeGoodPart(record, null, write, door.actions.nameOf);
      return [...remarks, ...written.remarks];
    } catch (thrown) {
      if (!(thrown instanceof CatalogError)) throw thrown;
      return [...remarks, ...found.groups.map((parent) => `${labelOf(parent)}: ${thrown.message || thrown.kind}`)];
    }
  }

  /** By its id, else by its name; an organization may stand below a group. Deleted ones are not above anything. */
  async function findParent(kind: GroupKind, id: unknown, name: unknown): Promise<Dictionary | null> {
    const kinds: readonly GroupKind[] = kind === 'organization' ? ['organization', 'group'] : ['group'];
    for (const [find, key] of [
      [findById, id],
      [findByName, name],
    ] as const)
      for (const one of kinds) {
        const found = await find(door, one, key).catch(hidden);
        if (found && found.state !== 'deleted') return found;
      }
    return null;
  }
}

/** A group that the caller may not see is not there for them. */
function hidden(thrown: unknown): null {
  if (thrown instanceof CatalogError && thrown.kind === 'NOT_AUTHORIZED') return null;
  throw thrown;
}

/** No id or name is as long: what is kept until the end is small. */
const MAX_NAME = 200;
const cut = (value: unknown): unknown => (typeof value === 'string' ? value.slice(0, MAX_NAME) : undefined);

const labelOf = ({ name, id }: Dictionary): string => `parent ${name ?? id ?? '(no name)'}`;
