import { type CatalogError, type ErrorKind, type Problem, summary } from '../../src/kernel/errors.ts';
import { wireName } from './names.ts';

/** Status of profile `http`, and the contract's names. Exhaustive by type: a new kind does not compile until it stands here. */
const WIRE: Record<ErrorKind, { status: number; type: string; prefix?: string }> = {
  NOT_FOUND: { status: 404, type: 'Not Found Error', prefix: 'Not found' },
  NOT_AUTHORIZED: { status: 403, type: 'Authorization Error', prefix: 'Access denied' },
  VALIDATION: { status: 409, type: 'Validation Error' },
  CONFLICT: { status: 409, type: 'Validation Error' },
  LIMIT: { status: 409, type: 'Validation Error' },
  SEARCH: { status: 409, type: 'Search Error', prefix: 'Search error' },
  UNAVAILABLE: { status: 503, type: 'Service Unavailable' },
};

export interface WireError {
  status: number;
  error: Record<string, unknown>;
}

/** A refusal → status and the `error` object of the envelope (ruling 3). */
export function toWireError(thrown: CatalogError): WireError {
  const { status, type, prefix } = WIRE[thrown.kind];
  const problems = thrown.problems.map(unwrapped);
  const said = thrown.kind === 'VALIDATION' && problems.length > 0 ? summary(problems, wireName) : thrown.message;
  const message = prefix ? (thrown.message ? `${prefix}: ${thrown.message}` : prefix) : said;
  return { status, error: { ...fold(problems), message, __type: type } };
}

/** Declared fields stand beside the core's on the wire. */
const unwrapped = (problem: Problem): Problem =>
  problem.path[0] === 'fields' && typeof problem.path[1] === 'string'
    ? { ...problem, path: problem.path.slice(1) }
    : problem;

type Tree = Map<string | number, Tree> & { messages?: string[] };

/** Problems → one key per field: texts in a list, a list position per item ({} where nothing is wrong), as CKAN nests them. */
function fold(problems: readonly Problem[]): Record<string, unknown> {
  const root: Tree = new Map();
  for (const { path, message } of problems) {
    if (path.length === 0) continue;
    let node = root;
    for (const step of path) {
      const key = typeof step === 'number' ? step : wireName(step);
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
  const items: unknown[] = Array.from({ length: keys.reduce((most, key) => Math.max(most, key), 0) + 1 }, () => ({}));
  for (const [key, child] of node) items[key as number] = child.size === 0 ? child.messages!.join(', ') : unfold(child);
  return items;
}
