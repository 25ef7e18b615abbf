/** Converts problems to the wire format: one key per field. */
import type { Problem } from '../../../src/kernel/errors.ts';
import { wireName } from '../../../src/records/form/names.ts';

/** On the wire, declared fields are beside the core fields. */
export const onTheWire = (problems: readonly Problem[]): Problem[] =>
  problems.map((problem) =>
    problem.path[0] === 'fields' && typeof problem.path[1] === 'string'
      ? { ...problem, path: problem.path.slice(1) }
      : problem,
  );

type Tree = Map<string | number, Tree> & { messages?: string[] };

/** Problems by field: a list of texts, or per list position an object ({} without problems), nested as in CKAN. */
export function fold(problems: readonly Problem[], nameOf = wireName): Record<string, unknown> {
  const root: Tree = new Map();
  for (const { path, message } of problems) {
    if (path.length === 0) continue;
    let node = root;
    for (const step of path) {
      const key = typeof step === 'number' ? step : nameOf(step);
      if (!node.has(key)) node.set(key, new Map());
      node = node.get(key)!;
    }
    (node.messages ??= []).push(message);
  }
  return Object.fromEntries([...root].map(([key, node]) => [key, unfold(node)]));
}

function unfold(node: Tree): unknown {
  if (node.size === 0) return node.messages;
  const keys = [...node.keys()];
  if (!keys.every((key) => typeof key === 'number')) {
    return Object.fromEntries([...node].map(([key, child]) => [key, unfold(child)]));
  }
  const items: unknown[] = Array.from({ length: keys.reduce((max, key) => Math.max(max, key), 0) + 1 }, () => ({}));
  for (const [key, child] of node) items[key as number] = child.size === 0 ? child.messages!.join(', ') : unfold(child);
  return items;
}
