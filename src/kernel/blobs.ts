/** Where the bytes of files are kept. What is in a file, whose it is and who may read it is not known here. */
import type { Readable } from 'node:stream';

/** First and last byte of a part of a file, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * A store of files. A file first comes in under a token of ours and is on probation: it is either kept under a key or
 * discarded. Tokens and keys are made by us, never by clients, and no text of a client becomes part of a path.
 */
export interface Blobs {
  /** Takes a stream in and answers its token. Nothing is left of a stream that breaks. @throws CatalogError LIMIT beyond `catalog.limits.upload`, UNAVAILABLE when there is no room */
  receive(source: Readable): Promise<string>;
  /** Bytes of a file that came in; null when no file has that token. */
  sizeOf(token: string): Promise<number | null>;
  /** Moves a file that came in to where it stays. Doing it twice does no harm. */
  keep(token: string, key: string): Promise<void>;
  /** Deletes a file that came in; one that was kept, or never was, is no matter. */
  discard(token: string): Promise<void>;
  /** The bytes of a kept file, or a part of them; null when there is none. */
  open(key: string, range?: ByteRange): Promise<Readable | null>;
  /** Deletes a kept file; one that is not there is no matter. */
  remove(key: string): Promise<void>;
  /** Deletes files that came in long ago and were neither kept nor discarded: leftovers of a crash. */
  sweep(): Promise<void>;
}
