/** Everything of the client: `createCatalog`, its errors, and the operations that come with it. */
export { type Catalog, type CatalogOptions, createCatalog, type Page } from './catalog.ts';
export type { Document } from './document.ts';
export { CatalogFailure, type GraphError } from './failure.ts';
export * from './operations.ts';
