/** What a source gives, whatever it speaks: records as the Action API's dictionaries. */
import type { Dictionary } from '../transfer/perform.ts';
import type { RecordKind } from './run/known.store.ts';

/** One thing at the source. */
export interface SourceItem {
  readonly kind: Exclude<RecordKind, 'vocabulary'>;
  /** What tells it from others of its kind there, for good. */
  readonly id: string;
  /** What the source lists it under; may change. */
  readonly name: string;
  /** The id that it would have here; the one that it has there when left out. */
  readonly objectId?: string;
  readonly record: Dictionary;
}

/** Whether a source may call something so: it is kept, and looked up by. */
export const isReasonable = (idOrName: string): boolean =>
  idOrName !== '' && Buffer.byteLength(idOrName) <= 2_000 && !/\p{Cc}/u.test(idOrName);

/** Datasets that were read together. */
export interface SourcePage {
  readonly items: readonly SourceItem[];
  /** Records that could not be read, each with what is known of it. */
  readonly faults?: readonly { readonly id: string; readonly message: string }[];
  /** When these are written, all that the source changed before this moment is; null where it cannot be told. */
  readonly readUntil: string | null;
  /** How many datasets the source has, as far as it is known. */
  readonly total: number | null;
}

/** What a source says of a table without its rows. */
export interface TableHead {
  /** In their order, with types. */
  readonly fields: readonly { readonly id: string; readonly type: string; readonly info?: unknown }[];
  readonly total: number;
}

/** A table as far as the source's version can say. */
export interface TableDescription extends TableHead {
  readonly primaryKey: readonly string[];
  readonly aliases: readonly string[];
  /** Whether everybody may read it there. */
  readonly isPublic: boolean;
}

export interface TableReader {
  /** Null where the source says that there is no such table, or none for us. @throws SourceError */
  head(recordId: string): Promise<TableHead | null>;
  /** @throws SourceError */
  describe(recordId: string, head: TableHead): Promise<TableDescription>;
  /** All rows in the source's order, a page at a time. @throws SourceError, also where the table changes meanwhile */
  rows(recordId: string, head: TableHead): AsyncIterable<readonly Dictionary[]>;
  /** Whether the source still says that the resource has a table. @throws SourceError */
  isClaimed(recordId: string): Promise<boolean>;
}

export interface Reader {
  /** Vocabularies that datasets' tags name by ids. */
  vocabularies(): Promise<readonly { readonly id: string; readonly name: string; readonly tags: readonly string[] }[]>;
  /** Organizations and groups, those above others first. */
  groups(): AsyncIterable<SourceItem>;
  /** Datasets that changed since the moment, or all of them. */
  datasets(since: string | null): AsyncIterable<SourcePage>;
  /** Marks the names of all datasets that are there as `listed`; false where there is no way to know all of them. */
  list(): Promise<boolean>;
  /** Tables of resources; left out where the source has none. */
  readonly tables?: TableReader;
  /** One dataset; null when the source says that it is not there (any more). */
  show(idOrName: string): Promise<SourceItem | null>;
}
