/** Reads objects by global id, and records the type of each for `__typename`. */
import type { Call } from '../../kernel/call.ts';
import { limitAt } from '../../kernel/errors.ts';
import { fromGlobalId } from '../../kernel/ids.ts';
import type { NodeReaders } from '../../kernel/node.ts';

/** Maximum ids in one `nodes`. */
export const MAX_NODES = 100;

const types = new WeakMap<object, string>();

/** The recorded type of an object. Undefined for an object that `nodesShow` did not read. */
export const typeOfNode = (node: object): string | undefined => types.get(node);

/**
 * Objects in the order of `globalIds`. Null for an invalid id, and for a missing or hidden object. One look-up per type.
 * @throws CatalogError LIMIT above MAX_NODES ids
 */
export async function nodesShow(
  readers: NodeReaders,
  call: Call,
  globalIds: readonly string[],
): Promise<(object | null)[]> {
  if (globalIds.length > MAX_NODES) {
    throw limitAt('ids', `At most ${MAX_NODES} ids (got ${globalIds.length})`);
  }
  const requested = globalIds.map((globalId) => readable(fromGlobalId(globalId)));
  const idsByType = new Map<string, Set<string>>();
  for (const at of requested) {
    if (!at || !Object.hasOwn(readers, at.type)) continue;
    if (!idsByType.has(at.type)) idsByType.set(at.type, new Set());
    idsByType.get(at.type)!.add(at.id);
  }
  const found = new Map<string, object>();
  await Promise.all(
    [...idsByType].map(async ([type, ids]) => {
      const idsOfType = [...ids];
      const rows = await readers[type]!(call, idsOfType);
      rows.forEach((row, at) => {
        if (row) found.set(`${type}:${idsOfType[at]}`, named(row, type));
      });
    }),
  );
  return requested.map((at) => (at ? (found.get(`${at.type}:${at.id}`) ?? null) : null));
}

/** Null for an id with NUL. No id of ours contains it, and the database refuses it. */
const readable = (at: ReturnType<typeof fromGlobalId>) => (at?.id.includes('\0') ? null : at);

function named(row: object, type: string): object {
  types.set(row, type);
  return row;
}
