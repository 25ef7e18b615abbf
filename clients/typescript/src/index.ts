/** Everything of the client: `createCatalog`, its errors, and the operations that come with it. */
export {
  type AskOptions,
  type Behind,
  type Catalog,
  type CatalogOptions,
  createCatalog,
  type Page,
} from './catalog.ts';
export type { Document } from './document.ts';
export {
  type Accepted,
  accepted,
  CatalogFailure,
  Conflict,
  type GraphError,
  Invalid,
  type Problem,
  RateLimited,
  type Refusal,
} from './failure.ts';
export * from './operations.ts';
export type { Uploaded, UploadOptions } from './upload.ts';
