/** Entities for a federation router, by any of their keys. */
import { licenseReader } from '../../catalog/license/license.resolvers.ts';
import type { Call } from '../../kernel/call.ts';
import { limitAt } from '../../kernel/errors.ts';
import { toGlobalId } from '../../kernel/ids.ts';
import type { NodeReaders } from '../../kernel/node.ts';
import type { Loaders } from '../loaders.ts';
import { MAX_NODES, nodesShow } from '../node/node.service.ts';
import { nodeReaders } from '../node/readers.ts';
import { findIds } from './names.store.ts';
import { type Reference, referenceOf } from './subgraph.ts';

/** In the requested order, with null for missing and hidden objects. @throws CatalogError LIMIT */
export async function entitiesShow(
  call: Call,
  loaders: Loaders,
  representations: readonly unknown[],
): Promise<(object | null)[]> {
  if (representations.length > MAX_NODES) {
    throw limitAt('representations', `At most ${MAX_NODES} representations (got ${representations.length})`);
  }
  const references = representations.map(referenceOf);
  const idOf = await idsOf(call, references);
  const globalIds = references.map((reference) => (reference ? globalIdOf(reference, idOf) : ''));
  return nodesShow({ ...nodeReaders, ...otherReaders(loaders) }, call, globalIds);
}

/** Entities without a global id of their own. */
const otherReaders = (loaders: Loaders): NodeReaders => ({
  License: licenseReader,
  Table: (_call, ids) => Promise.all(ids.map((id) => loaders.tableByResource.load(id))),
});

type IdOf = (reference: Reference) => string;

/** Ids of the objects that are referred to by name. One statement per type. */
async function idsOf({ db }: Call, references: readonly (Reference | null)[]): Promise<IdOf> {
  const named = references.flatMap((reference) => (reference?.key === 'name' ? [reference] : []));
  const types = [...new Set(named.map(({ type }) => type))];
  const found = new Map(
    await Promise.all(
      types.map(async (of) => {
        const names = named.filter(({ type }) => type === of).map(({ value }) => value);
        return [of, await findIds(db, of, [...new Set(names)])] as const;
      }),
    ),
  );
  return ({ type, key, value }) => (key === 'name' ? (found.get(type)?.get(value) ?? '') : value);
}

function globalIdOf(reference: Reference, idOf: IdOf): string {
  return reference.key === 'id' ? reference.value : toGlobalId(reference.type, idOf(reference));
}
