/** A place in a page that shows a preview of a resource. */
import type { ComponentChildren, JSX } from 'preact';
import { CatalogError } from '../../../../src/kernel/errors.ts';
import { type Faults, inEnglish } from '../form.tsx';
import type { ResourceData } from '../resource-page.tsx';
import { type Maps, STATUS, type Visit } from '../visit.ts';
import type { Param, Query } from './table-state.ts';

export type View = ResourceData['views'][number];
export type Table = NonNullable<ResourceData['table']>;
export type Field = Table['fields'][number];

/** The entered text, after a refusal. */
export interface Saving {
  readonly title: string;
  readonly faults: Faults;
  /** Key of the form, so that a second click makes no second view. Empty for a new one. */
  readonly idempotencyKey: string;
}

/** The request and the data of a preview. */
export interface At {
  readonly visit: Visit;
  readonly resource: ResourceData;
  /** Why the table of the resource cannot be read, while the DataStore is down. */
  readonly refusal: CatalogError | null;
  /** Null for the preview of a resource without views. */
  readonly view: View | null;
  /** Whether the URL names the view. */
  readonly isChosen: boolean;
  /** Path of the page. */
  readonly path: string;
  /** Parameters that all links and forms of the preview have. */
  readonly base: readonly Param[];
  /** Parameters of the URL; without any, those that are saved with the view. */
  readonly query: Query;
  /** Whether the URL has parameters. */
  readonly hasQuery: boolean;
  /** The form to save a view, after a refusal. */
  readonly saving: Saving | null;
  /** Maximum records of one request (catalog.limits.rows). */
  readonly rows: number;
  readonly maps: Maps;
  /** Path of the resource. */
  readonly resourcePath: string;
  /** Whether another site shows the page in a frame. */
  readonly isEmbedded: boolean;
}

/** A preview, as a part of a page. */
export interface Shown {
  readonly content: JSX.Element;
  /** Status of the page. Default: 200. */
  readonly status?: number;
  /** Sources of the page's content security policy, by directive, in place of the usual ones. */
  readonly sources?: Readonly<Record<string, string>>;
  /** Whether the URL selects a part of the data, so that search engines must not list it. */
  readonly isPart?: boolean;
}

export type Previewer = (at: At) => Promise<Shown>;

interface Attempt<T> {
  readonly data: T | null;
  readonly fault?: ComponentChildren;
  readonly status: number;
}

/** Data of a preview, or why there is none. A refusal leaves the rest of the page as it is. */
export async function attempt<T>(read: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { data: await read(), status: 200 };
  } catch (thrown) {
    if (!(thrown instanceof CatalogError)) throw thrown;
    const said = thrown.problems.map(({ message }) => message).join(' ') || thrown.message;
    return { data: null, fault: inEnglish(said), status: STATUS[thrown.kind] };
  }
}

/** Fields of a view, as its kind declares them. */
export function fieldsOf(view: View | null): Readonly<Record<string, unknown>> {
  const fields: unknown = view?.fields;
  return fields && typeof fields === 'object' ? (fields as Record<string, unknown>) : {};
}

export const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** Columns with data: `_id` is a number of the catalog. */
export const dataFields = ({ fields }: Table): Field[] => fields.filter(({ id }) => id !== '_id');

/** A record by the names of its columns. */
export type PreviewRecord = Readonly<Record<string, unknown>>;
