import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { LegacyVersion } from '../shared/legacy/dataset.ts';
import type { Raw } from '../shared/wire/readers.ts';

/** A request as rows see it. */
export interface Asked {
  /** 1 for the addresses without a version too. */
  readonly version: LegacyVersion;
  /** Parts of the path by their names, unescaped. */
  readonly path: Readonly<Record<string, string>>;
  /** Query parameters, and the fields of a posted form. */
  readonly query: Raw;
  /** The JSON object of a write; empty otherwise. */
  readonly body: Raw;
  /** If-Match, or null. */
  readonly expectedVersion: number | null;
}

/** One address with a method: which operation answers it, and how both ends are translated. No rule stands here. */
export interface Row<V = any, D = any> {
  /** A FORM is asked for by GET, or by POST with form fields. A QUERY likewise, posted as JSON. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'FORM' | 'QUERY';
  /** Below `/api`, `/api/1` and `/api/2`; what is said of `dataset` holds for `package`. */
  readonly path: string;
  readonly document: TypedDocumentNode<D, V>;
  variables(asked: Asked): V;
  /** The body as JSON; undefined for an empty one. */
  result(data: D, asked: Asked): unknown;
  /** For 201: where the new thing is, below the version's address; null for what has none. */
  created?(data: D, asked: Asked): string | null;
  /** Whether a write looks at If-Match; one that does not refuses the header. */
  readonly looksAtVersion?: boolean;
  /** Keys of refusals that are not the names of the fields: the name → the key. */
  refusedUnder?(asked: Asked): Readonly<Record<string, string>> | undefined;
  /** A search: values that are refused are a `Bad search option`. */
  readonly isSearch?: true;
  /** Version of the object that is shown, for ETag. */
  version?(data: D): number | null | undefined;
}

/** Identity; there so that every row is checked against its own document. */
export const row = <V, D>(row: Row<V, D>): Row<V, D> => row;
