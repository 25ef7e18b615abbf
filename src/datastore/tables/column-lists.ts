/** Derives values from lists of columns, once for each list in memory. */
import type { Column } from './fields.rules.ts';

/** Makes something of a list of columns once for as long as the list is in memory: searches of a table share one list. */
export function oncePerColumns<Made>(make: (columns: readonly Column[]) => Made): typeof make {
  const made = new WeakMap<readonly Column[], { readonly it: Made }>();
  return (columns) => {
    let known = made.get(columns);
    if (!known) made.set(columns, (known = { it: make(columns) }));
    return known.it;
  };
}

export const columnsById = oncePerColumns((columns) => new Map(columns.map((column) => [column.id, column])));
