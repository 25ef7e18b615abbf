import { type ResourceRow, resourceBody } from '../document/project.ts';
import type { ResourceBody } from '../document/record.ts';

const CORE = new Set(Object.keys(resourceBody({ extras: {}, size: null } as ResourceRow, 0, '')));

/** Keys of a resource that the core does not declare. */
export function extrasOf(resource: ResourceBody): Record<string, unknown> {
  const extras: [string, unknown][] = [];
  for (const key of Object.keys(resource)) if (!CORE.has(key)) extras.push([key, resource[key]]);
  return Object.fromEntries(extras); // a key may be __proto__
}
