/** Loads the site's Apollo plugins (catalog.graphql.plugins). */
import { pathToFileURL } from 'node:url';
import type { GraphPlugin } from '../execution/operation.ts';

/** The plugins that a module exports by default, one or a list. @throws Error with the name of the file */
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
