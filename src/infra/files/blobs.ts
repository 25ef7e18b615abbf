/** Interface of file stores. Independent of content, owners and permissions of files. */
import type { Readable } from 'node:stream';

/** First and last byte of a range, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A stored file as the store lists it. */
export interface StoredFile {
  /** The name in the store (`nameOf` its key). */
  readonly name: string;
  /** Upload time. */
  readonly modified: Date;
  /** Bytes. */
  readonly size: number;
}

/** Direct uploads by clients. The server makes their keys, in the form of tokens of pending files. */
export interface Landing {
  /** Maximum bytes of one file. */
  readonly max: number;
  /**
   * A presigned URL for PUTs of one file with this size and media type (`Content-Type`), valid for the given seconds.
   * @throws CatalogError UNAVAILABLE
   */
  addressOf(
    key: string,
    file: { readonly size: number; readonly contentType: string },
    seconds: number,
  ): Promise<string>;
  /**
   * Copies a direct upload to a new key, which no URL can write to; returns the key and the first bytes, as `startOf`.
   * Null without an upload; its `size` without a key if it differs from the expected one. @throws CatalogError
   * UNAVAILABLE
   */
  take(from: string, size: number): Promise<{ key: string; start: Buffer } | { key: null; size: number } | null>;
}

/**
 * A store of files. A received file is pending under a token; then it is either kept, with the token as its key, or
 * discarded. The server makes tokens, and no text of a client becomes part of a path. Only the process that received a
 * pending file knows it.
 */
export interface Blobs {
  /**
   * Receives a stream and returns its token. Deletes the data of a broken stream. @throws CatalogError LIMIT above
   * `catalog.limits.upload`, UNAVAILABLE without space or store
   */
  receive(source: Readable): Promise<string>;
  /** Bytes of a pending file; null for an unknown token. */
  sizeOf(token: string): number | null;
  /** The first 256 bytes of a pending file, or all of a shorter one. */
  startOf(token: string): Buffer;
  /** Makes a pending file permanent. Repeating it is harmless. */
  keep(token: string): Promise<void>;
  /** Deletes a pending file; ignores permanent files and unknown tokens. */
  discard(token: string): Promise<void>;
  /** Stores a permanent file under a key of an earlier one: for a restore, without a limit of its size. @throws CatalogError UNAVAILABLE */
  put(key: string, source: Readable): Promise<void>;
  /** The bytes of a permanent file, or a range of them; null if it is missing. */
  open(key: string, range?: ByteRange): Promise<Readable | null>;
  /** Whether a permanent file has this key. */
  has(key: string): Promise<boolean>;
  /** Checks that the store can be read and written, as far as that can be seen without a write. @throws Error with the reason */
  check(): Promise<void>;
  /** Null if clients cannot send files to the store directly. */
  readonly landing: Landing | null;
  /** Deletes a permanent file or a direct upload; ignores a missing one. */
  remove(key: string): Promise<void>;
  /** Deletes old pending files, which crashes leave behind, as far as the store can distinguish them from permanent files. */
  sweep(): Promise<void>;
  /** Every permanent file, unordered. Pending files may be among them. */
  list(): AsyncIterable<StoredFile>;
  /** The name of a key in the list. */
  nameOf(key: string): string;
  /** Deletes a file by its name in the list. */
  removeListed(name: string): Promise<void>;
  /** Closes connections. */
  close(): void;
}
