/** A real S3 server for tests: S3Proxy on a folder, from Maven's registry, kept in .cache/s3proxy and run on the loopback. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { withLock } from '../../scripts/stamp.mjs';
import { projectRoot } from '../../src/kernel/root.ts';
import { isThere } from './runtime.ts';

const VERSION = '2.6.0';
const FOLDER = join(projectRoot, '.cache/s3proxy', VERSION);
const KEY = { accessKeyId: 'catalog-tests', secretAccessKey: 'no secret' };

export interface S3Server {
  readonly endpoint: string;
  readonly bucket: string;
  readonly credentials: typeof KEY;
  /** A client of the server, for looking behind the store's back. */
  readonly client: S3Client;
  stop(): Promise<void>;
}

/** Whether S3Proxy can be installed and run. */
export const hasS3 = (): boolean => isThere('java') && isThere('mvn');

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId><artifactId>s3-for-tests</artifactId><version>1</version>
  <dependencies><dependency><groupId>org.gaul</groupId><artifactId>s3proxy</artifactId><version>${VERSION}</version></dependency></dependencies>
</project>`;
const QUIET = '<configuration><root level="OFF"/></configuration>';

/** Downloads it once; quick when it is there. */
const install = (): Promise<void> =>
  withLock('s3proxy', async () => {
    if (existsSync(join(FOLDER, 'done'))) return;
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(join(FOLDER, 'pom.xml'), POM);
    writeFileSync(join(FOLDER, 'logback.xml'), QUIET);
    const repository = `-Dmaven.repo.local=${join(projectRoot, '.cache/maven')}`;
    const goal = ['dependency:copy-dependencies', '-DoutputDirectory=lib', '-DincludeScope=runtime'];
    await promisify(execFile)('mvn', ['-q', '-B', repository, ...goal], { cwd: FOLDER });
    writeFileSync(join(FOLDER, 'done'), '');
  });

/** Starts it on a free port, with an empty bucket. */
export async function startS3(): Promise<S3Server> {
  await install();
  const folder = mkdtempSync(join(tmpdir(), 'catalog-s3-'));
  mkdirSync(join(folder, 'data'));
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
      ...['-Xmx128m', '-XX:TieredStopAtLevel=1', `-Dlogback.configurationFile=${join(FOLDER, 'logback.xml')}`],
      ...['-cp', join(FOLDER, 'lib/*'), 'org.gaul.s3proxy.Main', '--properties', join(folder, 's3proxy.properties')],
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

function ended(java: ChildProcess): Promise<void> {
  if (java.exitCode !== null || java.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    java.once('exit', () => resolve());
    java.kill('SIGKILL');
  });
}

/** A port that nobody listens on just now. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
