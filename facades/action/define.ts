import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import type { RunOperation } from '../../src/graph/run.ts';
import type { Call } from '../../src/kernel/call.ts';
import type { Problem } from '../../src/kernel/errors.ts';
import type { Raw } from '../shared/wire/readers.ts';
import type { Param } from './params.ts';
import type { Schema } from './schema.ts';

/** The request's parameters as they came, before any reader. */
export type { Raw };
export type Params = Record<string, Param<unknown>>;
/** What the readers made of the parameters. */
export type Read<P extends Params> = { [K in keyof P]: ReturnType<P[K]['read']> };

/** The DataStore's plugin; or, for SQL of callers, its role that only reads too (ruling 11). */
export type Need = 'datastore' | 'datastore reader';

/** What settings decide about the wire (catalog.action_api.*). */
export interface Style {
  /** Whether exact numbers are JSON numbers, and not texts. */
  readonly exactNumbers: boolean;
  /** Whether organization_list_for_user lists all memberships where no permission is given. */
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
  /** One sentence for `help`; the whole help text is made from it and the parameters. */
  readonly summary: string;
  /** What comes back, for help_show and docs/actions.md. */
  readonly returns: string;
  /** The same as JSON Schema, for openapi.json: the `result` of every answer fits it. */
  readonly answers: Schema;
  /** How it differs on purpose from the reference (CKAN 2.4), in sentences; left out where it does the same. */
  readonly differs?: string;
  /** Sets of parameters of which one must be given whole, where no single one of them is required. */
  readonly anyOf?: readonly (readonly string[])[];
  /** Whether it takes records: users may send more values to it (catalog.limits.json_records). */
  readonly records?: true;
  /** Names of further parameters that take a file, where a name says which resource it is for. */
  readonly files?: RegExp;
  /** What must be there for the action to be known at all; left out where nothing special is needed. */
  readonly needs?: Need;
  /** Since when and for what to use instead; answered as a Deprecation header too. */
  readonly deprecated?: string;
}

/** One action: which operation answers it and how both ends are translated. No rule stands here. */
export interface Action<P extends Params = any, V = any, D = any> extends About {
  readonly document: TypedDocumentNode<D, V>;
  readonly params: P;
  /** Parameters → variables of the operation. `expectedVersion` is the If-Match header's, or null. */
  variables(params: Read<P>, raw: Raw, expectedVersion: number | null): V;
  /** Variables that the site's settings decide, beside those above or in their place. */
  preset?(style: Style, raw: Raw, variables: any): Readonly<Record<string, unknown>>;
  /** Data of the operation → `result` of the envelope. `query`: the parameters where they came in the address, else null. */
  result(data: D, params: Read<P>, raw: Raw, query?: Raw | null): unknown;
  /** Problems of a refusal under the keys of the parameters, where these are not the names of the graph's fields. */
  problems?(problems: readonly Problem[], raw: Raw): Problem[];
  /** Version of the object in the answer, for ETag and 304. */
  version?(data: D): number | null | undefined;
}

/** An action that is more than one operation's translation. Listed by name in test/house. */
export interface Special<P extends Params = any> extends About {
  readonly why: string;
  readonly params: P;
  handle(params: Read<P>, raw: Raw, tools: { run: RunOperation; call: Call }): unknown;
}

/** Whether a write looks at If-Match. */
export const looksAtVersions = (row: Action | Special): boolean =>
  'variables' in row && row.kind === 'write' && row.variables.length >= 3;

/** The rows of a table whose needs are met. */
export const offeredActions = (
  table: Readonly<Record<string, Action | Special>>,
  has: (need: Need) => boolean,
): Readonly<Record<string, Action | Special>> =>
  Object.fromEntries(Object.entries(table).filter(([, { needs }]) => needs === undefined || has(needs)));

/** Identity; there so that every row is checked against its own document. */
export const action = <P extends Params, V, D>(row: Action<P, V, D>): Action<P, V, D> => row;
export const special = <P extends Params>(row: Special<P>): Special<P> => row;
