/**
 * Stores files in a bucket of an S3-compatible store, as `<prefix><key>`. A bucket has no rename, so a file is uploaded under its final
 * key. The receiver deletes files that are not committed, and `catalog files sweep` deletes them after a crash.
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

/** How to reach an object store. */
export interface Connection {
  /** Null: the provider's endpoint for the region. */
  readonly endpoint: string | null;
  readonly region: string;
  /** Null: the AWS credential chain (for example the machine's role). */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  /** `<endpoint>/<bucket>` instead of `<bucket>.<endpoint>`. */
  readonly pathStyle: boolean;
}

export interface BucketOptions extends Connection {
  readonly bucket: string;
  /** Prefix of every key; may be empty. */
  readonly prefix: string;
  /** Maximum bytes of one file (catalog.limits.upload). */
  readonly limit: number;
  /** Called with the store's error. Callers receive UNAVAILABLE. */
  readonly onFailure: (failure: unknown) => void;
}

const MIB = 2 ** 20;
/** Limits of S3: minimum bytes of a part, and maximum number of parts. */
const PART = { min: 5 * MIB, max: 10_000 } as const;
/** Concurrent parts of one file. More would be faster on slow connections, but each is held in memory. */
const AT_ONCE = 2;
/** ms after which an incomplete upload counts as abandoned. */
const LEFTOVER = 24 * 60 * 60 * 1000;

/** A valid key without a file: a working store reports that it is missing. Only the response to GET tells a missing bucket from it. */
const NO_FILE = '00000000-0000-0000-0000-000000000000';

/** A store in an existing bucket. */
export function createBucketBlobs(options: BucketOptions): Blobs {
  const { bucket, prefix, limit, onFailure } = options;
  const client = clientOf(options);
  const probation = createProbation(limit);
  const objectOf = (key: string) => ({ Bucket: bucket, Key: prefix + key });
  const partSize = Math.max(PART.min, Math.ceil(limit / PART.max));

  function unreachable(failure: unknown): CatalogError {
    onFailure(failure);
    return new CatalogError('UNAVAILABLE', 'The file storage is unavailable. Try again later.');
  }

  /** The store's answer; null when the file is missing. @throws CatalogError UNAVAILABLE */
  const ask = <T>(answer: Promise<T>): Promise<T | null> =>
    answer.catch((failure: unknown) => {
      if (isMissing(failure)) return null;
      throw unreachable(failure);
    });

  const remove = async (key: string): Promise<void> =>
    void (await ask(client.send(new DeleteObjectCommand(objectOf(key)))));

  return {
    async receive(source) {
      const token = probation.begin();
      let broken: unknown = null;
      const Body = Readable.from(
        observed(probation.watch(token, source), (why) => (broken = why)),
        { objectMode: false },
      );
      try {
        // On failure, Upload deletes the parts.
        await new Upload({ client, params: { ...objectOf(token), Body }, queueSize: AT_ONCE, partSize }).done();
        return token;
      } catch (failure) {
        probation.end(token);
        Body.destroy();
        if (broken !== null) throw broken;
        await remove(token).catch(() => {}); // the file may exist, because only the response may be lost
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
    async put(key, Body) {
      if (!isToken(key)) throw new Error('not a token');
      await new Upload({ client, params: { ...objectOf(key), Body }, queueSize: AT_ONCE, partSize })
        .done()
        .catch((failure) => {
          throw unreachable(failure);
        });
    },
    async open(key, range) {
      const Range = range && `bytes=${range.start}-${range.end}`;
      const found = await ask(client.send(new GetObjectCommand({ ...objectOf(key), ...(Range && { Range }) })));
      return (found?.Body as Readable | undefined) ?? null;
    },
    check: async () => void (await ask(client.send(new GetObjectCommand(objectOf(NO_FILE))))),
    has: async (key) => (await ask(client.send(new HeadObjectCommand(objectOf(key))))) !== null,
    remove,
    async sweep() {
      const before = Date.now() - LEFTOVER;
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }));
      for (const { Key, UploadId, Initiated } of Uploads) {
        if (Initiated && Initiated.getTime() < before)
          await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }));
      }
    },
    landing: createLanding({ client, objectOf, ask }),
    list: () => listObjects(client, bucket, prefix),
    nameOf: (key) => key,
    removeListed: remove,
    close: () => client.destroy(),
  };
}

export const clientOf = ({ endpoint, region, credentials, pathStyle }: Connection): S3Client =>
  new S3Client({
    region,
    forcePathStyle: pathStyle,
    // Some S3-compatible stores do not support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 5_000, socketTimeout: 120_000 },
    ...(endpoint !== null && { endpoint }),
    ...(credentials && { credentials }),
  });

const isMissing = (failure: unknown): boolean =>
  ['NoSuchKey', 'NotFound'].includes((failure as { name?: string } | null)?.name ?? '');

/** The chunks unchanged; calls `report` with the reason when the stream fails, and not when its reader gives up: then the store failed. */
async function* observed(chunks: AsyncIterable<Buffer>, report: (why: unknown) => void): AsyncGenerator<Buffer> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await iterator.next().catch((failure: unknown) => {
        report(failure);
        throw failure;
      });
      if (done) return;
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** Objects under our prefix; the bucket may contain others. */
async function* listObjects(client: S3Client, Bucket: string, Prefix: string): AsyncGenerator<StoredFile> {
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket, Prefix })) {
    for (const { Key = '', LastModified, Size = 0 } of Contents) {
      const name = Key.slice(Prefix.length);
      if (isToken(name) && LastModified) yield { name, modified: LastModified, size: Size };
    }
  }
}
