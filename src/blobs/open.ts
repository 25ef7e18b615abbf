/** Opens the configured file store: a bucket or a local folder. */
import { join } from 'node:path';
import type { Blobs } from '../infra/files/blobs.ts';
import type { Settings } from '../kernel/settings.ts';
import type { Connection } from './bucket.ts';
import { createFolderBlobs } from './folder.ts';

/** `onFailure` is called with the store's errors. */
export async function openBlobs(settings: Settings, onFailure: (failure: unknown) => void): Promise<Blobs> {
  const limit = settings['catalog.limits.upload'];
  const bucket = settings['catalog.files.bucket'];
  if (bucket === null) return createFolderBlobs({ folder: join(settings['catalog.data_dir'], 'files'), limit });
  const { createBucketBlobs } = await import('./bucket.ts'); // lazy: importing the SDK is slow
  return createBucketBlobs({
    ...connectionOf(settings),
    bucket,
    prefix: settings['catalog.files.prefix'],
    limit,
    onFailure,
  });
}

/** The object store of the settings. */
export function connectionOf(settings: Settings): Connection {
  const accessKeyId = settings['catalog.files.key_id'];
  const secretAccessKey = settings['catalog.files.secret'];
  return {
    endpoint: settings['catalog.files.endpoint'],
    region: settings['catalog.files.region'],
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : null,
    pathStyle: settings['catalog.files.path_style'],
  };
}
