/** A real S3 server for tests: S3Proxy on a folder, from Maven's registry, kept in .cache/s3proxy and run on the loopback. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { ended, installed } from './java.ts';
import { freePort } from './port.ts';

const ARTIFACT = 'org.gaul:s3proxy:2.6.0';
const KEY = { accessKeyId: 'catalog-tests', secretAccessKey: 'no secret' };

export interface S3Server {
  readonly endpoint: string;
  readonly bucket: string;
  readonly credentials: typeof KEY;
  /** A client of the server, for looking behind the store's back. */
  readonly client: S3Client;
  stop(): Promise<void>;
}

const QUIET = '<configuration><root level="OFF"/></configuration>';

/** Starts it on a free port, with an empty bucket. */
export async function startS3(): Promise<S3Server> {
  const program = await installed(ARTIFACT);
  const folder = mkdtempSync(join(tmpdir(), 'catalog-s3-'));
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'logback.xml'), QUIET);
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  const properties = {
    's3proxy.authorization': 'aws-v2-or-v4',
    's3proxy.endpoint': endpoint,
    's3proxy.identity': KEY.accessKeyId,
    's3proxy.credential': KEY.secretAccessKey,
    'jclouds.provider': 'filesystem-nio2',
    'jclouds.identity': 'unused',
    'jclouds.credential': 'unused',
    'jclouds.filesystem.basedir': join(folder, 'data'),
  };
  writeFileSync(
    join(folder, 's3proxy.properties'),
    Object.entries(properties)
      .map((pair) => pair.join('='))
      .join('\n'),
  );
  const java = spawn(
    'java',
    [
      ...['-Xmx128m', '-XX:TieredStopAtLevel=1', `-Dlogback.configurationFile=${join(folder, 'logback.xml')}`],
      ...['-cp', join(program, 'lib/*'), 'org.gaul.s3proxy.Main', '--properties', join(folder, 's3proxy.properties')],
    ],
    { stdio: 'ignore' },
  );
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: KEY,
    maxAttempts: 1,
  });
  const stop = async () => {
    client.destroy();
    await ended(java);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await createBucket(client, java);
  } catch (failure) {
    await stop();
    throw failure;
  }
  return { endpoint, bucket: KEY.accessKeyId, credentials: KEY, client, stop };
}

/** As soon as the server answers. */
async function createBucket(client: S3Client, java: ChildProcess): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await client.send(new CreateBucketCommand({ Bucket: KEY.accessKeyId }));
      return;
    } catch (failure) {
      if (tries > 300 || java.exitCode !== null) throw failure;
      await sleep(100);
    }
  }
}
