import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { RunOperation } from '../../src/graph/run.ts';
import type { Call } from '../../src/kernel/call.ts';
import type { Problem } from '../../src/kernel/errors.ts';
import type { SearchUse, Use } from '../../src/kernel/usage.ts';
import type { Raw } from '../../src/records/form/readers.ts';
import type { Param } from './params.ts';
import type { Schema } from './schema.ts';

/** The request's raw parameters. */
export type { Raw };
export type Params = Record<string, Param<unknown>>;
/** The parsed parameters. */
export type Read<P extends Params> = { [K in keyof P]: ReturnType<P[K]['read']> };

/** The DataStore plugin; or, for callers' SQL, also its read-only role (ruling 11). */
export type Need = 'datastore' | 'datastore reader';

/** Settings that affect the wire format (catalog.action_api.*). */
export interface Style {
  /** Whether exact numbers are JSON numbers instead of strings. */
  readonly exactNumbers: boolean;
  /** Whether organization_list_for_user lists all memberships when no permission is given. */
  readonly allMemberships: boolean;
  /** Whether `size` and `mimetype` of resources are filled from their files. */
  readonly fillsFileFields: boolean;
}

export const styleOf = (settings: {
  readonly 'catalog.action_api.exact_numbers': string;
  readonly 'catalog.action_api.memberships': string;
  readonly 'catalog.action_api.file_fields': string;
}): Style => ({
  exactNumbers: settings['catalog.action_api.exact_numbers'] === 'number',
  allMemberships: settings['catalog.action_api.memberships'] === 'all',
  fillsFileFields: settings['catalog.action_api.file_fields'] === 'fill',
});

interface About {
  /** read: GET and POST. write: POST only. */
  readonly kind: 'read' | 'write';
  /** One sentence for `help`. The help text consists of it and the parameters. */
  readonly summary: string;
  /** Description of the result, for help_show and docs/actions.md. */
  readonly returns: string;
  /** JSON Schema of the `result`, for openapi.json. Every response conforms to it. */
  readonly answers: Schema;
  /** Intended differences from the reference (CKAN 2.4), in sentences; omitted when there are none. */
  readonly differs?: string;
  /** Sets of parameters of which one must be complete, when no single parameter is required. */
  readonly anyOf?: readonly (readonly string[])[];
  /** Whether it accepts records, for which users may send more values (catalog.limits.json_records). */
  readonly records?: true;
  /** Pattern of additional file parameters whose names contain the resource. */
  readonly files?: RegExp;
  /** Requirement for offering the action; omitted when there is none. */
  readonly needs?: Need;
  /** Version of the deprecation, and the replacement. Also sent as a Deprecation header. */
  readonly deprecated?: string;
}

/** One action: its GraphQL operation, and the conversion of parameters and result. Contains no rules. */
export interface Action<P extends Params = any, V = any, D = any> extends About {
  readonly document: TypedDocumentNode<D, V>;
  /** In place of `document` if include_tracking is set: the same fields, and the usage. One document for both would slow down every request. */
  readonly trackingDocument?: TypedDocumentNode<D, V>;
  readonly params: P;
  /**
   * Visitors may get the data of an earlier run if the database has not changed since. All of the data must be from the catalog's database,
   * and `result` may depend on nothing but data and parameters.
   */
  readonly isCached?: true;
  /** Parameters → variables of the operation. `expectedVersion` is from the If-Match header, or null. */
  variables(params: Read<P>, raw: Raw, expectedVersion: number | null): V;
  /** Variables that depend on the site's settings; they add to or replace those above. */
  preset?(style: Style, raw: Raw, variables: any): Readonly<Record<string, unknown>>;
  /** Data of the operation → `result` of the envelope. `query`: the parameters of a query string, else null. */
  result(data: D, params: Read<P>, raw: Raw, query?: Raw | null): unknown;
  /** Problems keyed by parameters, when these differ from the graph's field names. */
  problems?(problems: readonly Problem[], raw: Raw): Problem[];
  /** The object that was read, or the search, for the usage numbers. Null if none counts. */
  use?(data: D, params: Read<P>): Use | SearchUse | null;
  /** Version of the returned object, for ETag and 304. */
  version?(data: D): number | null | undefined;
}

/** For `problems`: the parameter of each field with another name. */
export const renamed =
  (parameters: Readonly<Record<string, string>>) =>
  (problems: readonly Problem[]): Problem[] =>
    problems.map((problem) => {
      const name = parameters[String(problem.path[0])];
      return name === undefined ? problem : { ...problem, path: [name, ...problem.path.slice(1)] };
    });

/** An action that is more than the conversion of one operation. test/house lists them by name. */
export interface Special<P extends Params = any> extends About {
  readonly why: string;
  readonly params: P;
  handle(params: Read<P>, raw: Raw, tools: { run: RunOperation; call: Call }): unknown;
}

/** Whether a write supports If-Match. */
export const looksAtVersions = (row: Action | Special): boolean =>
  'variables' in row && row.kind === 'write' && row.variables.length >= 3;

/** The actions of a table whose requirements are met. */
export const offeredActions = (
  table: Readonly<Record<string, Action | Special>>,
  has: (need: Need) => boolean,
): Readonly<Record<string, Action | Special>> =>
  Object.fromEntries(Object.entries(table).filter(([, { needs }]) => needs === undefined || has(needs)));

/** Identity function that type-checks an action against its operation. */
export const action = <P extends Params, V, D>(row: Action<P, V, D>): Action<P, V, D> => row;
export const special = <P extends Params>(row: Special<P>): Special<P> => row;
