/** Exports `createCatalog`, errors, and typed operations. */
export {
  type AskOptions,
  type Catalog,
  type CatalogOptions,
  type Cursored,
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
