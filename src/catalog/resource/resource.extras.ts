import { type ResourceRow, resourceBody } from '../document/project.ts';
import type { ResourceBody } from '../document/record.ts';

const CORE = new Set(Object.keys(resourceBody({ extras: {}, size: null } as ResourceRow, 0, '')));

/** Keys of a resource that the core does not know. */
export const extrasOf = (resource: ResourceBody): Record<string, unknown> =>
  Object.fromEntries(Object.entries(resource).filter(([key]) => !CORE.has(key)));
