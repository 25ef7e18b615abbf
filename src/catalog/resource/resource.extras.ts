import { type ResourceRow, resourceBody } from '../document/project.ts';
import type { ResourceBody } from '../document/record.ts';

const CORE = new Set(Object.keys(resourceBody({ extras: {}, size: null } as ResourceRow, 0, '')));

/** Keys of a resource that the core does not declare. */
export function extrasOf(resource: ResourceBody): Record<string, unknown> {
  const keys: string[] = [];
  for (const key in resource) if (!CORE.has(key)) keys.push(key);
  return keys.length === 0 ? {} : Object.fromEntries(keys.map((key) => [key, resource[key]])); // a key may be __proto__
}
