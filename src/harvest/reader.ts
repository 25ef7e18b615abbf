/** Interface of source readers for all protocols. Records are dictionaries of the Action API. */
import type { Dictionary } from '../records/gateway.ts';
import type { RecordKind } from './run/known.store.ts';

/** An object at the source. */
export interface SourceItem {
  readonly kind: Exclude<RecordKind, 'vocabulary'>;
  /** Permanent identifier among objects of its kind at the source. */
  readonly id: string;
  /** Name at the source; may change. */
  readonly name: string;
  /** Id for the local object; defaults to `id`. */
  readonly objectId?: string;
  readonly record: Dictionary;
}

/** Whether an id or name from a source has a valid length and form. It is stored and used for lookups. */
export const isReasonable = (idOrName: string): boolean =>
  idOrName !== '' && Buffer.byteLength(idOrName) <= 2_000 && !/\p{Cc}/u.test(idOrName);

/** Datasets read together. */
export interface SourcePage {
  readonly items: readonly SourceItem[];
  /** Records that could not be read, each with an id and the reason. */
  readonly faults?: readonly { readonly id: string; readonly message: string }[];
  /** Once this page is written, all changes before this moment are imported; null when unknown. */
  readonly readUntil: string | null;
  /** Total number of datasets at the source; null when unknown. */
  readonly total: number | null;
}

/** Description of a table, without rows. */
export interface TableHead {
  /** Fields with types, in order. */
  readonly fields: readonly { readonly id: string; readonly type: string; readonly info?: unknown }[];
  readonly total: number;
}

/** Table description as complete as the source's version allows. */
export interface TableDescription extends TableHead {
  readonly primaryKey: readonly string[];
  readonly aliases: readonly string[];
  /** Whether anonymous users may read it at the source. */
  readonly isPublic: boolean;
}

export interface TableReader {
  /** Null when the source reports no such table, or denies access. @throws SourceError */
  head(recordId: string): Promise<TableHead | null>;
  /** @throws SourceError */
  describe(recordId: string, head: TableHead): Promise<TableDescription>;
  /** All rows in the source's order, page by page. @throws SourceError, also when the table changes during the read */
  rows(recordId: string, head: TableHead): AsyncIterable<readonly Dictionary[]>;
  /** Whether the source still reports a table for the resource. @throws SourceError */
  isClaimed(recordId: string): Promise<boolean>;
}

export interface SourceVocabulary {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly string[];
}

export interface Reader {
  /** Vocabularies to resolve the vocabulary ids of tags. */
  vocabularies(): Promise<readonly SourceVocabulary[]>;
  /** Organizations and groups, parents first. */
  groups(): AsyncIterable<SourceItem>;
  /** Datasets changed since this moment; null means all. */
  datasets(since: string | null): AsyncIterable<SourcePage>;
  /** Marks the names of all existing datasets as `listed`. Returns false when the source cannot list all of them. */
  list(): Promise<boolean>;
  /** Tables of resources; undefined when the source has none. */
  readonly tables?: TableReader;
  /** One dataset; null when the source reports it as missing. */
  show(idOrName: string): Promise<SourceItem | null>;
}
