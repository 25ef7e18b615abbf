import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { SearchUse, Use } from '../../src/kernel/usage.ts';
import type { Raw } from '../../src/records/form/readers.ts';
import type { LegacyVersion } from '../shared/legacy/dataset.ts';

/** A parsed request. */
export interface LegacyRequest {
  /** 1 also for addresses without a version. */
  readonly version: LegacyVersion;
  /** Path parameters by name, unescaped. */
  readonly path: Readonly<Record<string, string>>;
  /** Query parameters, and the fields of a posted form. */
  readonly query: Raw;
  /** The JSON object of a write; empty otherwise. */
  readonly body: Raw;
  /** Version from If-Match, or null. */
  readonly expectedVersion: number | null;
}

/** One method of one address: its GraphQL operation, and the conversion of both ends. Contains no rules. */
export interface Row<V = any, D = any> {
  /** A FORM accepts GET, or POST with form fields. A QUERY accepts GET, or POST with JSON. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'FORM' | 'QUERY';
  /** Below `/api`, `/api/1` and `/api/2`. Paths with `dataset` also exist with `package`. */
  readonly path: string;
  readonly document: TypedDocumentNode<D, V>;
  variables(request: LegacyRequest): V;
  /** The body as JSON; undefined for an empty one. */
  result(data: D, request: LegacyRequest): unknown;
  /** For 201: the new object's path below the version's address; null when it has none. */
  created?(data: D, request: LegacyRequest): string | null;
  /** Whether a write supports If-Match; others refuse the header. */
  readonly looksAtVersion?: boolean;
  /** Keys of problems that differ from field names: field → key. */
  refusedUnder?(request: LegacyRequest): Readonly<Record<string, string>> | undefined;
  /** A search: refused values are reported as a `Bad search option`. */
  readonly isSearch?: true;
  /** The object that was read, or the search, for the usage numbers. */
  use?(data: D, request: LegacyRequest): Use | SearchUse | null;
  /** Version of the returned object, for ETag. */
  version?(data: D): number | null | undefined;
}

/** Identity function that type-checks a row against its operation. */
export const row = <V, D>(row: Row<V, D>): Row<V, D> => row;
