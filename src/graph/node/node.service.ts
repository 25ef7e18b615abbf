/** Objects by global id. Which type an object is read as is remembered, so that the graph can name it. */
import type { Call } from '../../kernel/call.ts';
import { CatalogError } from '../../kernel/errors.ts';
import { fromGlobalId } from '../../kernel/ids.ts';
import type { NodeReaders } from '../../kernel/node.ts';

/** Ids in one `nodes` at most. */
export const MAX_NODES = 100;

const types = new WeakMap<object, string>();

/** The type that an object was read as; undefined for an object that no reader gave. */
export const typeOfNode = (node: object): string | undefined => types.get(node);

/**
 * Objects in the order of `globalIds`; null where the id is not one of ours, or the object is missing or hidden.
 * One look-up per type. @throws CatalogError LIMIT above 100 ids.
 */
export async function nodesShow(
  readers: NodeReaders,
  call: Call,
  globalIds: readonly string[],
): Promise<(object | null)[]> {
  if (globalIds.length > MAX_NODES) {
    throw new CatalogError('LIMIT', `ids: at most ${MAX_NODES}`, [{ path: ['ids'], message: `At most ${MAX_NODES}` }]);
  }
  const wanted = globalIds.map((globalId) => readable(fromGlobalId(globalId)));
  const idsByType = new Map<string, Set<string>>();
  for (const at of wanted) {
    if (!at || !Object.hasOwn(readers, at.type)) continue;
    if (!idsByType.has(at.type)) idsByType.set(at.type, new Set());
    idsByType.get(at.type)!.add(at.id);
  }
  const found = new Map<string, object>();
  await Promise.all(
    [...idsByType].map(async ([type, ids]) => {
      const asked = [...ids];
      const rows = await readers[type]!(call, asked);
      rows.forEach((row, at) => {
        if (row) found.set(`${type}:${asked[at]}`, named(row, type));
      });
    }),
  );
  return wanted.map((at) => (at ? (found.get(`${at.type}:${at.id}`) ?? null) : null));
}

/** An id of ours never holds NUL, and the database would not take one. */
const readable = (at: ReturnType<typeof fromGlobalId>) => (at?.id.includes('\0') ? null : at);

function named(row: object, type: string): object {
  types.set(row, type);
  return row;
}
