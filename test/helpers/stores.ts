/** The stores of files for tests that each store must pass: a folder, and a bucket of each S3 server. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListMultipartUploadsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { describe } from '@jest/globals';
import type { Settings } from '../../src/kernel/settings.ts';
import { describeWith } from './runtime.ts';
import { S3_PROGRAMS, type S3Server, startS3 } from './s3.ts';

export interface TestStore {
  readonly settings: Partial<Settings>;
  /** Names of everything in the store, sorted: stored files, files on probation, and parts of uploads. */
  stored(): Promise<string[]>;
  stop(): Promise<void>;
}

export interface TestBucket extends TestStore, Pick<S3Server, 'interrupt'> {}

const PREFIX = 'tests/';

async function startFolder(): Promise<TestStore> {
  const folder = mkdtempSync(join(tmpdir(), 'catalog-files-'));
  return {
    settings: { 'catalog.data_dir': folder },
    stored: async () =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.startsWith('files') && statSync(join(folder, path)).isFile())
        .map((path) => path.slice('files/'.length))
        .sort(),
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function startBucket(program: (typeof S3_PROGRAMS)[number]): Promise<TestBucket> {
  const { endpoint, bucket, credentials, client, interrupt, stop } = await startS3(program);
  const folder = mkdtempSync(join(tmpdir(), 'catalog-files-'));
  return {
    settings: {
      'catalog.data_dir': folder,
      'catalog.files.bucket': bucket,
      'catalog.files.prefix': PREFIX,
      'catalog.files.endpoint': endpoint,
      'catalog.files.key_id': credentials.accessKeyId,
      'catalog.files.secret': credentials.secretAccessKey,
      'catalog.files.path_style': true,
    },
    async stored() {
      if (readdirSync(folder).length > 0) throw new Error('a store in a bucket left something in the data folder');
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
      const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
      return [
        ...Contents.map(({ Key }) => Key!.slice(PREFIX.length)),
        ...Uploads.map(({ Key }) => `.incoming/${Key}`),
      ].sort();
    },
    interrupt,
    async stop() {
      rmSync(folder, { recursive: true, force: true });
      await stop();
    },
  };
}

/** Registers the tests for files in a folder, and in a bucket of each S3 server. */
export function onEachStore(tests: (start: () => Promise<TestStore>, kind: 'folder' | 'bucket') => void): void {
  describe('in a folder', () => tests(startFolder, 'folder'));
  inBucket((start) => tests(start, 'bucket'));
}

/** Registers the tests for files in a bucket of each S3 server, in a block with its name. */
export function inBucket(tests: (start: () => Promise<TestBucket>, server: string) => void): void {
  for (const program of S3_PROGRAMS)
    describeWith(program.runtime, program.isPossible(), `in a bucket of ${program.name}`, () =>
      tests(() => startBucket(program), program.name),
    );
}
