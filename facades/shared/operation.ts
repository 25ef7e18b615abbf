/** Names of operations and facades, for metrics and the record of slow requests. */
import type { IncomingMessage } from 'node:http';

/** Properties: a WeakMap with an entry per request makes garbage collection slower. */
const OPERATION = Symbol('operation');
const KNOWN = Symbol('known operation');
const FACADE = Symbol('facade');
/** Names of GraphQL. The caller chooses them, and other texts would reach the database and terminals. */
const NAME = /^[_a-z][_a-z0-9]*$/i;
/** Characters of a name that is recorded. */
const MAX_NAME = 100;

interface Named extends IncomingMessage {
  [OPERATION]?: string;
  [KNOWN]?: string;
  [FACADE]?: string;
}

/**
 * Names what a request runs: an action, or an operation of the graph. Never a value of the request. Longer names are cut, and texts
 * that GraphQL does not allow as names are ignored. `isKnown`: the catalog or its operator has chosen the name, so there is a bounded
 * number of them.
 */
export const noteOperation = (req: IncomingMessage, name: string, isKnown = false): void => {
  if (!isKnown && !NAME.test(name)) return;
  (req as Named)[OPERATION] = name.length > MAX_NAME ? name.slice(0, MAX_NAME) : name;
  if (isKnown) (req as Named)[KNOWN] = name;
};

export const operationOf = (req: IncomingMessage): string | null => (req as Named)[OPERATION] ?? null;

/** The same; null for a name that the caller has chosen. */
export const knownOperationOf = (req: IncomingMessage): string | null => (req as Named)[KNOWN] ?? null;

/** Names the facade that a request has reached. */
export const noteFacade = (req: IncomingMessage, facade: string): void => {
  (req as Named)[FACADE] = facade;
};

export const facadeOf = (req: IncomingMessage): string => (req as Named)[FACADE] ?? 'other';
