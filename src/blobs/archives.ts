/** Backups in a bucket of the object store in the settings. */
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { Settings } from '../kernel/settings.ts';
import { clientOf } from './bucket.ts';
import { connectionOf } from './open.ts';

/** Bytes of a part. S3 accepts up to 10,000 parts of an upload, and two are in memory. */
const PART = 32 * 2 ** 20;

export interface ArchiveObject {
  write(bytes: Readable): Promise<void>;
  /** From its beginning, in parts. No connection is open while the reader works. @throws Error of the store */
  read(): AsyncGenerator<Buffer>;
  /** Bytes; null if there is no such object. */
  size(): Promise<number | null>;
  close(): void;
}

/** An object of any bucket that the credentials in the settings may use. It is read in parts of `part` bytes. */
export function archiveObject(settings: Settings, Bucket: string, Key: string, part = PART): ArchiveObject {
  const client = clientOf(connectionOf(settings));
  const object = { Bucket, Key };
  return {
    async write(Body) {
      const params = { ...object, Body, ContentType: 'application/x-tar' };
      await new Upload({ client, params, queueSize: 2, partSize: PART }).done();
    },
    /** A reader can pause for minutes, while PostgreSQL builds indexes. A connection would be closed in this time. */
    async *read() {
      const { ContentLength: size = 0, ETag: IfMatch } = await client.send(new HeadObjectCommand(object));
      for (let from = 0; from < size; from += part) {
        const Range = `bytes=${from}-${Math.min(from + part, size) - 1}`;
        const { Body } = await client.send(new GetObjectCommand({ ...object, Range, IfMatch }));
        yield await buffer(Body as Readable);
      }
    },
    size: () =>
      client.send(new HeadObjectCommand(object)).then(
        ({ ContentLength = 0 }) => ContentLength,
        (failure: { name?: string }) => {
          if (['NotFound', 'NoSuchKey'].includes(failure.name ?? '')) return null;
          throw failure;
        },
      ),
    close: () => client.destroy(),
  };
}
