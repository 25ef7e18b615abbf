/** In which order nodes are written, and which of them inside the node that names them. */
import { type Described, type Graph, keyOf } from '../graph.ts';
import type { Term } from '../terms.ts';

/** Levels of nodes inside nodes; what is deeper stands on its own. */
const DEEPEST = 16;

export interface Walk {
  /** What is said of an object that is to be written here and now; undefined where it is only named. */
  inside(object: Term, depth: number): Described | undefined;
}

/**
 * Calls `write` for each node that stands on its own: the first one, those that are named not once but never or often, and what
 * is left of circles. The others are written by whoever asks `inside` for them.
 */
export function walk(graph: Graph, write: (described: Described, walk: Walk) => void): void {
  const written = new Set<Described>();
  const walking: Walk = {
    inside(object, depth) {
      const described = graph.describedBy(object);
      if (!described || depth > DEEPEST || written.has(described) || standsAlone(described)) return undefined;
      written.add(described);
      return described;
    },
  };
  const [first] = graph.nodes.values();
  const standsAlone = (described: Described): boolean => described === first || graph.references(described.node) !== 1;
  const begin = (described: Described): void => {
    if (written.has(described)) return;
    written.add(described);
    write(described, walking);
  };
  for (const described of graph.nodes.values()) if (standsAlone(described)) begin(described);
  for (const described of graph.nodes.values()) begin(described);
}

export { keyOf };
