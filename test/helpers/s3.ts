/** Real S3 servers for tests, each serving a folder: installed into .cache and run on the loopback. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { projectRoot } from '../../src/kernel/root.ts';
import { hasGo, installGo } from './go.ts';
import { ended, hasJava, installed } from './java.ts';
import { freePort } from './port.ts';

const KEY = { accessKeyId: 'catalog-tests', secretAccessKey: 'no secret' };

export interface S3Server {
  readonly endpoint: string;
  readonly bucket: string;
  readonly credentials: typeof KEY;
  /** A client of the server, to inspect the bucket without the store. */
  readonly client: S3Client;
  /** Kills the server, and starts it again after `work`. */
  interrupt(work: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

/** A program that serves a folder. */
interface S3Program {
  readonly name: string;
  /** The runtime that installs or runs the program. */
  readonly runtime: string;
  isPossible(): boolean;
  /** `folder` has an empty folder `data`. The program may write settings beside it. */
  run(folder: string, address: string): Promise<ChildProcess>;
}

const QUIET = '<configuration><root level="OFF"/></configuration>';

async function runS3Proxy(folder: string, address: string): Promise<ChildProcess> {
  const program = await installed('org.gaul:s3proxy:2.6.0');
  writeFileSync(join(folder, 'logback.xml'), QUIET);
  const properties = {
    's3proxy.authorization': 'aws-v2-or-v4',
    's3proxy.endpoint': `http://${address}`,
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
  return spawn(
    'java',
    [
      ...['-Xmx384m', '-XX:TieredStopAtLevel=1', `-Dlogback.configurationFile=${join(folder, 'logback.xml')}`],
      ...['-cp', join(program, 'lib/*'), 'org.gaul.s3proxy.Main', '--properties', join(folder, 's3proxy.properties')],
    ],
    { stdio: 'ignore' },
  );
}

async function runVersity(folder: string, address: string): Promise<ChildProcess> {
  const program = await installGo('github.com/versity/versitygw/cmd/versitygw', 'v1.8.0');
  const keys = ['--access', KEY.accessKeyId, '--secret', KEY.secretAccessKey];
  return spawn(program, [...keys, '--port', address, '--quiet', 'posix', join(folder, 'data')], { stdio: 'ignore' });
}

export const S3_PROGRAMS: readonly S3Program[] = [
  { name: 'S3Proxy', runtime: 'java and mvn', isPossible: hasJava, run: runS3Proxy },
  { name: 'Versity Gateway', runtime: 'go', isPossible: hasGo, run: runVersity },
];

/** Starts it on a free port, with an empty bucket. */
export async function startS3({ run }: S3Program): Promise<S3Server> {
  // Not in the system's temporary folder: its file system may lack the extended attributes that Versity Gateway needs.
  mkdirSync(join(projectRoot, '.cache/s3'), { recursive: true });
  const folder = mkdtempSync(join(projectRoot, '.cache/s3/'));
  mkdirSync(join(folder, 'data'));
  const address = `127.0.0.1:${await freePort()}`;
  const bucket = KEY.accessKeyId;
  const settings = { endpoint: `http://${address}`, region: 'us-east-1', forcePathStyle: true, credentials: KEY };
  const client = new S3Client({ ...settings, maxAttempts: 1 });
  let server = await run(folder, address);
  const stop = async () => {
    client.destroy();
    await ended(server);
    rmSync(folder, { recursive: true, force: true });
  };
  const interrupt = async (work: () => Promise<void>) => {
    await ended(server);
    try {
      await work();
    } finally {
      server = await run(folder, address);
      await answered(server, () => client.send(new HeadBucketCommand({ Bucket: bucket })));
    }
  };
  try {
    await answered(server, () => client.send(new CreateBucketCommand({ Bucket: bucket })));
  } catch (failure) {
    await stop();
    throw failure;
  }
  return { endpoint: settings.endpoint, bucket, credentials: KEY, client, interrupt, stop };
}

/** Waits until the server answers. */
async function answered(server: ChildProcess, request: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await request();
      return;
    } catch (failure) {
      if (tries > 300 || server.exitCode !== null) throw failure;
      await sleep(100);
    }
  }
}
