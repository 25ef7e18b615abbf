/**
 * Files in a bucket of an S3-compatible store: `<prefix><key>`. A file is uploaded under its key at once, for a bucket knows no
 * renaming; what was received and is not kept is deleted by whoever received it, and after a crash by `catalog files sweep`.
 */
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { Blobs, StoredFile } from '../infra/files/blobs.ts';
import { CatalogError } from '../kernel/errors.ts';
import { createLanding } from './landing.ts';
import { createProbation, isToken } from './probation.ts';

export interface BucketOptions {
  readonly bucket: string;
  /** Before every key; empty for none. */
  readonly prefix: string;
  /** Null: the provider's own for the region. */
  readonly endpoint: string | null;
  readonly region: string;
  /** Null: what the SDK finds around it (the machine's role, for one). */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  /** `<endpoint>/<bucket>` instead of `<bucket>.<endpoint>`. */
  readonly pathStyle: boolean;
  /** Bytes of one file, at most (catalog.limits.upload). */
  readonly limit: number;
  /** Told of what the store answers when it fails; callers are told that it cannot be reached. */
  readonly onFailure: (failure: unknown) => void;
}

const MIB = 2 ** 20;
/** What S3 allows: bytes of a part at least, and parts at most. */
const PART = { min: 5 * MIB, max: 10_000 } as const;
/** Parts of one file on their way at once. More would be faster over a long line; each is held in memory. */
const AT_ONCE = 2;
/** ms after which an upload that was begun and never ended is a leftover. */
const LEFTOVER = 24 * 60 * 60 * 1000;

/** A store in a bucket, which must be there. */
export function createBucketBlobs(options: BucketOptions): Blobs {
  const { bucket, prefix, limit, onFailure } = options;
  const client = clientOf(options);
  const probation = createProbation(limit);
  const place = (key: string) => ({ Bucket: bucket, Key: prefix + key });
  const partSize = Math.max(PART.min, Math.ceil(limit / PART.max));

  function unreachable(failure: unknown): CatalogError {
    onFailure(failure);
    return new CatalogError('UNAVAILABLE', 'The file storage is unavailable. Try again later.');
  }

  /** What the store answers; null when there is no such file. @throws CatalogError UNAVAILABLE */
  const ask = <T>(answer: Promise<T>): Promise<T | null> =>
    answer.catch((failure: unknown) => {
      if (isMissing(failure)) return null;
      throw unreachable(failure);
    });

  const remove = async (key: string): Promise<void> =>
    void (await ask(client.send(new DeleteObjectCommand(place(key)))));

  return {
    async receive(source) {
      const token = probation.begin();
      let broken: unknown = null;
      const Body = Readable.from(
        told(probation.watch(token, source), (why) => (broken = why)),
        { objectMode: false },
      );
      try {
        // Of an upload that fails it deletes the parts.
        await new Upload({ client, params: { ...place(token), Body }, queueSize: AT_ONCE, partSize }).done();
        return token;
      } catch (failure) {
        probation.end(token);
        Body.destroy();
        if (broken !== null) throw broken;
        await remove(token).catch(() => {}); // it may be there all the same: only the answer may have been lost
        throw unreachable(failure);
      }
    },
    sizeOf: probation.sizeOf,
    startOf: probation.startOf,
    async keep(token) {
      probation.end(token);
    },
    async discard(token) {
      if (probation.end(token)) await remove(token);
    },
    async open(key, range) {
      const Range = range && `bytes=${range.start}-${range.end}`;
      const found = await ask(client.send(new GetObjectCommand({ ...place(key), ...(Range && { Range }) })));
      return (found?.Body as Readable | undefined) ?? null;
    },
    has: async (key) => (await ask(client.send(new HeadObjectCommand(place(key))))) !== null,
    remove,
    async sweep() {
      const before = Date.now() - LEFTOVER;
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }));
      for (const { Key, UploadId, Initiated } of Uploads) {
        if (Initiated && Initiated.getTime() < before)
          await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }));
      }
    },
    landing: createLanding({ client, place, ask }),
    list: () => listObjects(client, bucket, prefix),
    nameOf: (key) => key,
    removeListed: remove,
    close: () => client.destroy(),
  };
}

const clientOf = ({ endpoint, region, credentials, pathStyle }: BucketOptions): S3Client =>
  new S3Client({
    region,
    forcePathStyle: pathStyle,
    // Stores that are compatible with S3 do not all know the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 5_000, socketTimeout: 120_000 },
    ...(endpoint !== null && { endpoint }),
    ...(credentials && { credentials }),
  });

const isMissing = (failure: unknown): boolean =>
  ['NoSuchKey', 'NotFound'].includes((failure as { name?: string } | null)?.name ?? '');

/** The chunks as they come; `tell` hears why there are no more of them, where that is a failure. */
async function* told(chunks: AsyncIterable<Buffer>, tell: (why: unknown) => void): AsyncGenerator<Buffer> {
  try {
    yield* chunks;
  } catch (failure) {
    tell(failure);
    throw failure;
  }
}

/** Our own objects; others may share the bucket. */
async function* listObjects(client: S3Client, Bucket: string, Prefix: string): AsyncGenerator<StoredFile> {
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix })) {
    for (const { Key = '', LastModified, Size = 0 } of Contents) {
      const name = Key.slice(Prefix.length);
      if (isToken(name) && LastModified) yield { name, modified: LastModified, size: Size };
    }
  }
}
