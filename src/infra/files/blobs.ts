/** Where the bytes of files are kept. What is in a file, whose it is and who may read it is not known here. */
import type { Readable } from 'node:stream';

/** First and last byte of a part of a file, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A kept file as the store lists it. */
export interface StoredFile {
  /** What the store calls it (`nameOf` its key). */
  readonly name: string;
  /** When it came in. */
  readonly modified: Date;
  /** Bytes. */
  readonly size: number;
}

/** Where clients send files by themselves. Keys here are made by us, of the form that tokens of files on probation have. */
export interface Landing {
  /** Bytes of one file at most. */
  readonly max: number;
  /** An address to PUT one file to, for so many seconds: of this size and media type (`Content-Type`), as often as one likes. @throws CatalogError UNAVAILABLE */
  addressOf(
    key: string,
    file: { readonly size: number; readonly contentType: string },
    seconds: number,
  ): Promise<string>;
  /**
   * Keeps a copy of what landed under a new key that no address writes to; with its first bytes, as `startOf`. Null when nothing landed; its
   * `size` and no key when it is another than expected. @throws CatalogError UNAVAILABLE
   */
  take(from: string, size: number): Promise<{ key: string; start: Buffer } | { key: null; size: number } | null>;
}

/**
 * A store of files. A file first comes in under a token of ours and is on probation: it is either kept, and the token is its
 * key from then on, or discarded. Tokens are made by us, never by clients, and no text of a client becomes part of a path.
 * A file on probation is known to the process that received it alone.
 */
export interface Blobs {
  /** Takes a stream in and answers its token. Nothing is left of a stream that breaks. @throws CatalogError LIMIT beyond `catalog.limits.upload`, UNAVAILABLE when there is no room or no store */
  receive(source: Readable): Promise<string>;
  /** Bytes of a file that came in; null when no file is on probation under that token. */
  sizeOf(token: string): number | null;
  /** The first bytes of a file that came in: 256, or all where there are fewer. */
  startOf(token: string): Buffer;
  /** Ends the probation of a file that came in: it stays. Doing it twice does no harm. */
  keep(token: string): Promise<void>;
  /** Deletes a file that came in; one that was kept, or never was, is no matter. */
  discard(token: string): Promise<void>;
  /** The bytes of a kept file, or a part of them; null when there is none. */
  open(key: string, range?: ByteRange): Promise<Readable | null>;
  /** Whether a file is kept under this key. */
  has(key: string): Promise<boolean>;
  /** Null where clients cannot send files to the store itself. */
  readonly landing: Landing | null;
  /** Deletes a kept file, or one that landed; one that is not there is no matter. */
  remove(key: string): Promise<void>;
  /** Deletes what came in long ago and was neither kept nor discarded: leftovers of a crash, as far as the store can tell them from kept files. */
  sweep(): Promise<void>;
  /** Every kept file, in no order. Files on probation may be among them. */
  list(): AsyncIterable<StoredFile>;
  /** What a key is called in the list. */
  nameOf(key: string): string;
  /** Deletes a file by its name in the list. */
  removeListed(name: string): Promise<void>;
  /** Lets go of connections. */
  close(): void;
}
