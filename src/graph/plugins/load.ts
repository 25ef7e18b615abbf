/** Loads the Apollo plugins of a site (catalog.graphql.plugins). */
import { pathToFileURL } from 'node:url';
import type { GraphPlugin } from '../execution/operation.ts';

/** The default export of a module: a plugin, or a list of them. @throws Error naming the file */
export async function loadPlugins(path: string | null): Promise<readonly GraphPlugin[]> {
  if (path === null) return [];
  let plugins: unknown[];
  try {
    plugins = [(await import(pathToFileURL(path).href)).default].flat();
  } catch (failure) {
    throw new Error(`catalog.graphql.plugins: ${path}: ${(failure as Error).message}`);
  }
  if (plugins.some((it) => typeof it !== 'object' || it === null))
    throw new Error(
      `catalog.graphql.plugins: ${path}: the default export must be an Apollo Server plugin, or a list of plugins`,
    );
  return plugins as GraphPlugin[];
}
